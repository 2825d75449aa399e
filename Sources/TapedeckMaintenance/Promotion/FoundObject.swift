import TapedeckHTTP

/// An object in a response.
struct FoundObject {
  var id: String
  var idMember: String
  var value: JSONValue
  /// The names of the members that lead to it.
  var envelope: [String]
}

/// Finds objects and lists of them in responses.
enum ObjectFinder {
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

  /// - Parameter id: the object's id, if the path has it.
  static func object(in response: JSONValue, id: String? = nil, last: String = "") -> FoundObject? {
    if let found = identified(response, id, []) { return found }
    // One that stands alone in another object, or under a name that such envelopes have.
    let inner = (response.members ?? []).filter { $0.value.members != nil }
    let wrapped =
      inner.first { wrappers.contains($0.name.text) || last.hasPrefix($0.name.text) }
      ?? (inner.count == 1 && response.members?.count == 1 ? inner.first : nil)
    return wrapped.flatMap { identified($0.value, id, [$0.name.text]) }
  }

  private static func identified(_ value: JSONValue, _ id: String?, _ envelope: [String]) -> FoundObject? {
    guard value.members != nil, let member = idMember(of: value, id), let text = value[member]?.idText else {
      return nil
    }
    return FoundObject(id: text, idMember: member, value: value, envelope: envelope)
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

  /// The list that a response is, or has as one of its members.
  static func list(in response: JSONValue, last: String) -> (items: [JSONValue], envelope: [String])? {
    if let items = response.array { return isList(items) ? (items, []) : nil }
    guard let members = response.members, object(in: response) == nil else { return nil }
    let lists = members.filter { $0.value.array.map(isList) == true }
    let named = lists.first { wrappers.contains($0.name.text) || $0.name.text == last }
    guard let list = named ?? (lists.count == 1 ? lists.first : nil), let items = list.value.array,
      named != nil || !items.isEmpty
    else { return innerList(in: members, last: last) }
    return (items, [list.name.text])
  }

  /// The list in an envelope within an envelope, such as HAL's `_embedded`.
  private static func innerList(in members: [JSONMember], last: String) -> (
    items: [JSONValue], envelope: [String]
  )? {
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

  /// The member that identifies all objects of a list; nil where there is none.
  static func idMember(ofAll items: [JSONValue]) -> String? {
    idNames.prefix(6).first { name in
      let ids = items.compactMap { $0[name]?.idText }
      return ids.count == items.count && Set(ids).count == ids.count
    }
  }

  /// The objects of a list, each with its id; empty where nothing identifies them.
  static func objects(in items: [JSONValue]) -> [FoundObject] {
    guard let idMember = idMember(ofAll: items) else { return [] }
    return items.map {
      FoundObject(id: $0[idMember]?.idText ?? "", idMember: idMember, value: $0, envelope: [])
    }
  }

  /// Whether two objects are of a kind: more than half of their members are the same.
  static func alike(_ left: Set<String>, _ right: Set<String>) -> Bool {
    let common = left.intersection(right).count
    return common > 0 && common * 2 >= left.union(right).count
  }

  /// Whether a segment of a path looks like an id by itself.
  static func looksLikeID(_ segment: String) -> Bool {
    let bytes = Array(segment.utf8)
    if bytes.allSatisfy({ ASCII.isDigit($0) }) { return true }
    if segment.hasPrefix("REDACTED:") { return true }
    let digits = bytes.count { ASCII.isDigit($0) }
    let isHex = bytes.allSatisfy { ASCII.hexValue($0) != nil || $0 == UInt8(ascii: "-") }
    return bytes.count >= 16 && isHex && digits > 3
      || bytes.count >= 10 && digits * 3 >= bytes.count && !bytes.contains(UInt8(ascii: "."))
  }
}

extension JSONValue {
  /// The value as an id, if it is a text that is not empty or a whole number.
  var idText: String? {
    switch self {
    case .string(let string): string.text.isEmpty ? nil : string.text
    case .number(let number): number.int.map { String($0) }
    default: nil
    }
  }

  var names: Set<String> { Set((members ?? []).map(\.name.text)) }

  /// The value at the end of a path of members.
  func value(at path: [String]) -> JSONValue? { path.reduce(Optional(self)) { $0?[$1] } }

  /// The members that have a value.
  static func members(_ members: KeyValuePairs<JSONString, JSONValue?>) -> [JSONMember] {
    members.compactMap { name, value in value.map { JSONMember(name, $0) } }
  }

  /// An object; nil without members.
  static func object(unlessEmpty members: [JSONMember]) -> JSONValue? {
    members.isEmpty ? JSONValue?.none : .object(members)
  }

  /// An array; nil without items.
  static func array(unlessEmpty items: [JSONValue]) -> JSONValue? {
    items.isEmpty ? JSONValue?.none : .array(items)
  }
}
