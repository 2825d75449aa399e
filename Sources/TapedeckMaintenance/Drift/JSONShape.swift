import TapedeckHTTP
import TapedeckRedaction

/// The shape that JSON values have in common: their types, their members, and the shape of the items of arrays.
///
/// An object whose names are data (numbers, dates, long identifiers) is a map: its values share one shape, like the items
/// of an array. Values do not matter, except that a text may be a date, a UUID, a URL or a placeholder.
struct JSONShape: Equatable {
  enum Kind: String { case null, boolean, integer, number, string, array, object, map }

  struct Member: Equatable {
    var shape: JSONShape
    /// The number of objects that have it.
    var count: Int
  }

  private(set) var count = 0
  private(set) var kinds: Set<Kind> = []
  private(set) var objects = 0
  /// The members by decoded name.
  private(set) var members: [[UInt8]: Member] = [:]
  /// The common shape of the items of arrays and maps; `nil` if there were none.
  var items: JSONShape? { itemShape.first }
  /// The common format of strings; `.text` if formats differ, `nil` without strings.
  private(set) var format: StringFormat?
  /// Whether the value is unknown, since a secret was redacted.
  private(set) var hasRedacted = false
  // An array of at most one, since a struct cannot hold itself.
  private var itemShape: [JSONShape] = []

  init() {}

  init(_ value: JSONValue) { add(value) }

  mutating func add(_ value: JSONValue) {
    count += 1
    switch value {
    case .null: kinds.insert(.null)
    case .bool: kinds.insert(.boolean)
    case .number(let number):
      kinds.insert(number.raw.contains { ".eE".utf8.contains($0) } ? .number : .integer)
    case .string(let string): add(string.decodedBytes)
    case .array(let items):
      kinds.insert(.array)
      for item in items { addItem(item) }
    case .object(let members): add(members)
    }
  }

  private mutating func add(_ text: [UInt8]) {
    guard !Placeholder.isWhole(text[...]) else {
      hasRedacted = true
      return
    }
    let seen = StringFormat(text)
    format = kinds.contains(.string) && format != seen ? .text : seen
    kinds.insert(.string)
  }

  private mutating func addItem(_ item: JSONValue) {
    if itemShape.isEmpty { itemShape = [JSONShape()] }
    itemShape[0].add(item)
  }

  private mutating func add(_ written: [JSONMember]) {
    if !written.isEmpty, written.allSatisfy({ Self.isData($0.name.decodedBytes) }) {
      kinds.insert(.map)
      for member in written { addItem(member.value) }
      return
    }
    kinds.insert(.object)
    objects += 1
    var seen: Set<[UInt8]> = []
    for member in written {
      let name = member.name.decodedBytes
      var known = members[name] ?? Member(shape: JSONShape(), count: 0)
      known.shape.add(member.value)
      if seen.insert(name).inserted { known.count += 1 }
      members[name] = known
    }
  }

  func isAlways(_ member: Member) -> Bool { member.count == objects }

  /// The types, for people: `integer`, `string or null`.
  var text: String {
    kinds.isEmpty ? "nothing" : kinds.map(\.rawValue).sorted().joined(separator: " or ")
  }

  /// Whether a name is a number, a date, or a machine-made identifier: at least sixteen characters that may occur in
  /// hashes or keys, some of them digits.
  private static func isData(_ name: [UInt8]) -> Bool {
    !name.isEmpty && name.allSatisfy(ASCII.isDigit) || StringFormat(name) != .text
      || name.count >= 16 && name.count(where: ASCII.isDigit) >= 3 && name.allSatisfy(ASCII.isWord)
  }
}

/// The format of a text, if programs may depend on it.
enum StringFormat: String {
  case text
  /// `2026-11-21`.
  case date
  /// A date with a time behind it (RFC 3339).
  case time = "date and time"
  case uuid = "UUID"
  case url = "URL"

  init(_ bytes: [UInt8]) {
    if bytes.count == 36, Self.starts(bytes, like: "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx") {
      self = .uuid
    } else if bytes.count == 10, Self.starts(bytes, like: "0000-00-00") {
      self = .date
    } else if Self.starts(bytes, like: "0000-00-00T00:00") {
      self = .time
    } else if bytes.starts(with: "http://".utf8) || bytes.starts(with: "https://".utf8) {
      self = .url
    } else {
      self = .text
    }
  }

  /// Whether bytes begin with a pattern, in which `0` stands for a digit, `x` for a hexadecimal digit, `T` for the
  /// separator before a time, and anything else for itself.
  private static func starts(_ bytes: [UInt8], like pattern: StaticString) -> Bool {
    bytes.count >= pattern.utf8CodeUnitCount
      && zip(bytes, UnsafeBufferPointer(start: pattern.utf8Start, count: pattern.utf8CodeUnitCount))
        .allSatisfy { byte, mark in
          switch mark {
          case UInt8(ascii: "0"): ASCII.isDigit(byte)
          case UInt8(ascii: "x"): ASCII.hexValue(byte) != nil
          case UInt8(ascii: "T"): "Tt ".utf8.contains(byte)
          default: byte == mark
          }
        }
  }
}
