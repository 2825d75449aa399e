internal import TapedeckHTTP

/// An object that an answer holds, with what it stands in.
struct PromotedObject {
  var id: String
  var idMember: String
  var value: JSONValue
  /// The members that lead to it.
  var envelope: [String]
}

/// Finds objects and lists of them in answers.
enum PromotedShape {
  private static let idNames = [
    "id", "_id", "uuid", "guid", "key", "slug", "code", "login", "username", "name",
  ]
  private static let wrappers: Set<String> = [
    "data", "item", "items", "result", "results", "value", "records",
  ]
  /// What else a list may stand in, one level deeper.
  private static let outerWrappers: Set<String> = [
    "_embedded", "data", "response", "result", "payload", "body",
  ]

  /// - Parameter id: that it is known by, if the path says so.
  static func object(in answer: JSONValue, id: String? = nil, last: String = "") -> PromotedObject? {
    if let found = identified(answer, id, []) { return found }
    // One that stands alone in another object, or under a name that such envelopes have.
    let inner = (answer.members ?? []).filter { $0.value.members != nil }
    let wrapped =
      inner.first { wrappers.contains($0.name.text) || last.hasPrefix($0.name.text) }
      ?? (inner.count == 1 && answer.members?.count == 1 ? inner.first : nil)
    return wrapped.flatMap { identified($0.value, id, [$0.name.text]) }
  }

  private static func identified(_ value: JSONValue, _ id: String?, _ envelope: [String]) -> PromotedObject? {
    guard value.members != nil, let member = idMember(of: value, id), let text = value[member]?.idText else {
      return nil
    }
    return PromotedObject(id: text, idMember: member, value: value, envelope: envelope)
  }

  /// The member that is an object's id: where the id is known, the one that has it.
  static func idMember(of value: JSONValue, _ id: String?) -> String? {
    guard let id else { return idNames.prefix(4).first { value[$0]?.idText != nil } }
    if let known = idNames.first(where: { value[$0]?.idText == id }) { return known }
    return value.members?.first { member in
      let name = member.name.text.lowercased()
      return name.hasSuffix("id") && member.value.idText == id
    }?.name.text
  }

  /// The list that an answer is, or has as one of its members.
  static func list(in answer: JSONValue, last: String) -> (items: [JSONValue], envelope: [String])? {
    if let items = answer.array { return isList(items) ? (items, []) : nil }
    guard let members = answer.members, object(in: answer) == nil else { return nil }
    let lists = members.filter { $0.value.array.map(isList) == true }
    let named = lists.first { wrappers.contains($0.name.text) || $0.name.text == last }
    guard let list = named ?? (lists.count == 1 ? lists.first : nil), let items = list.value.array,
      named != nil || !items.isEmpty
    else { return innerList(in: members, last: last) }
    return (items, [list.name.text])
  }

  /// The list in an envelope within an envelope, such as HAL's `_embedded`.
  private static func innerList(
    in members: [JSONMember], last: String
  ) -> (items: [JSONValue], envelope: [String])? {
    for outer in members where outerWrappers.contains(outer.name.text) {
      let lists = (outer.value.members ?? []).filter { $0.value.array.map(isList) == true }
      let named = lists.first { wrappers.contains($0.name.text) || $0.name.text == last }
      guard let list = named ?? (lists.count == 1 ? lists.first : nil), let items = list.value.array,
        named != nil || !items.isEmpty
      else { continue }
      return (items, [outer.name.text, list.name.text])
    }
    return nil
  }

  private static func isList(_ items: [JSONValue]) -> Bool { items.allSatisfy { $0.members != nil } }

  /// The member by which all objects of a list are told apart; nil where there is none.
  static func idMember(ofAll items: [JSONValue]) -> String? {
    idNames.prefix(6).first { name in
      let ids = items.compactMap { $0[name]?.idText }
      return ids.count == items.count && Set(ids).count == ids.count
    }
  }

  /// Whether two objects are of a kind: more than half of their members are the same.
  static func alike(_ left: Set<String>, _ right: Set<String>) -> Bool {
    let common = left.intersection(right).count
    return common > 0 && common * 2 >= left.union(right).count
  }

  /// Whether a step of a path looks like an id by itself.
  static func looksLikeID(_ step: String) -> Bool {
    let bytes = Array(step.utf8)
    if bytes.allSatisfy({ ASCII.isDigit($0) }) { return true }
    if step.hasPrefix("REDACTED:") { return true }
    let digits = bytes.count { ASCII.isDigit($0) }
    let isHex = bytes.allSatisfy { ASCII.hexValue($0) != nil || $0 == UInt8(ascii: "-") }
    return bytes.count >= 16 && isHex && digits > 3
      || bytes.count >= 10 && digits * 3 >= bytes.count && !bytes.contains(UInt8(ascii: "."))
  }
}
