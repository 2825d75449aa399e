import TapedeckHTTP

/// An object in a response.
struct FoundObject {
  var id: String
  var idMember: String
  var value: JSONValue
  /// The names of the members that lead to it.
  var envelope: [String] = []

  private static let idNames = [
    "id", "_id", "uuid", "guid", "key", "slug", "code", "login", "username", "name",
  ]
  private static let wrappers: Set<String> = [
    "data", "item", "items", "result", "results", "value", "records",
  ]
  /// Names of objects that hold the object with the list.
  private static let outerWrappers: Set<String> = [
    "_embedded", "data", "response", "result", "payload", "body",
  ]
}

extension FoundObject {
  /// Finds the object in a response, which may be the response itself.
  /// - Parameters:
  ///   - id: the object's id, if the path has it.
  ///   - last: the last segment of the path that is no id.
  init?(in response: JSONValue, id: String? = nil, last: String = "") {
    if let found = FoundObject(response, id, []) {
      self = found
      return
    }
    // One that is the only member of an envelope, or has a name that is common in envelopes.
    let inner = (response.members ?? []).filter { $0.value.members != nil }
    let wrapped =
      inner.first { Self.wrappers.contains($0.name.text) || last.hasPrefix($0.name.text) }
      ?? (inner.count == 1 && response.members?.count == 1 ? inner.first : nil)
    guard let wrapped, let found = FoundObject(wrapped.value, id, [wrapped.name.text]) else { return nil }
    self = found
  }

  private init?(_ value: JSONValue, _ id: String?, _ envelope: [String]) {
    guard value.members != nil, let member = Self.idMember(of: value, id), let text = value[member]?.idText
    else { return nil }
    self.init(id: text, idMember: member, value: value, envelope: envelope)
  }

  /// The name of the member that is an object's id; if the id is known, the one with that value.
  private static func idMember(of value: JSONValue, _ id: String?) -> String? {
    guard let id else { return idNames.prefix(4).first { value[$0]?.idText != nil } }
    if let known = idNames.first(where: { value[$0]?.idText == id }) { return known }
    return value.members?.first { member in
      member.name.text.lowercased().hasSuffix("id") && member.value.idText == id
    }?.name.text
  }

  // MARK: Lists

  /// The list in a response: the response itself, or one of its members, which may be in an envelope such as HAL's
  /// `_embedded`.
  static func list(in response: JSONValue, last: String) -> (items: [JSONValue], envelope: [String])? {
    if let items = response.array { return isList(items) ? (items, []) : nil }
    guard let members = response.members, FoundObject(in: response) == nil else { return nil }
    if let list = list(among: members, last) { return (list.items, [list.name]) }
    for outer in members where outerWrappers.contains(outer.name.text) {
      if let list = list(among: outer.value.members ?? [], last) {
        return (list.items, [outer.name.text, list.name])
      }
    }
    return nil
  }

  private static func list(
    among members: [JSONMember], _ last: String
  ) -> (name: String, items: [JSONValue])? {
    let lists = members.filter { $0.value.array.map(isList) == true }
    let named = lists.first { wrappers.contains($0.name.text) || $0.name.text == last }
    guard let list = named ?? (lists.count == 1 ? lists.first : nil), let items = list.value.array,
      named != nil || !items.isEmpty
    else { return nil }
    return (list.name.text, items)
  }

  private static func isList(_ items: [JSONValue]) -> Bool { items.allSatisfy { $0.members != nil } }

  /// The objects of a list, each with its id; `nil` if no member identifies all of them.
  static func identified(_ items: [JSONValue]) -> [FoundObject]? {
    for name in idNames.prefix(6) {
      let ids = items.compactMap { $0[name]?.idText }
      guard ids.count == items.count, Set(ids).count == ids.count else { continue }
      return zip(items, ids).map { FoundObject(id: $1, idMember: name, value: $0) }
    }
    return nil
  }

  static func all(in items: [JSONValue]?) -> [FoundObject] { items.flatMap(identified) ?? [] }

  // MARK: Guesses

  /// Whether two objects are of the same kind, since more than half of their members have the same names.
  static func areAlike(_ left: Set<String>, _ right: Set<String>) -> Bool {
    let common = left.intersection(right).count
    return common > 0 && common * 2 >= left.union(right).count
  }

  /// Whether a segment of a path looks like an id by itself.
  static func looksLikeID(_ segment: String) -> Bool {
    let bytes = Array(segment.utf8)
    if bytes.allSatisfy(ASCII.isDigit) || segment.hasPrefix("REDACTED:") { return true }
    let digits = bytes.count(where: ASCII.isDigit)
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

  /// The value; `nil` for an object or an array without elements.
  var unlessEmpty: JSONValue? {
    members?.isEmpty == true || array?.isEmpty == true ? JSONValue?.none : self
  }
}
