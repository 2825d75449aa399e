import TapedeckHTTP
import TapedeckRedaction

/// The shape that JSON values have in common: their types, their members, and the shape of the items of arrays.
///
/// An object whose names are data (numbers, dates, long identifiers) is a map: its values share one shape like the items of
/// an array. Nothing is learned from values, except that a text looks like a date, a UUID or a URL, or is a placeholder.
struct JSONShape: Equatable {
  enum Kind: String, CaseIterable, Comparable {
    case null, boolean, integer, number, string, array, object, map

    static func < (left: Kind, right: Kind) -> Bool { left.rawValue < right.rawValue }
  }

  struct Member: Equatable {
    var shape: JSONShape
    /// How many of the objects have it.
    var count: Int
  }

  /// How many values have been added.
  private(set) var count = 0
  private(set) var kinds: Set<Kind> = []
  private(set) var objects = 0
  /// By decoded name.
  private(set) var members: [[UInt8]: Member] = [:]
  /// The shape of all items of arrays and maps; nil as long as there was none.
  var items: JSONShape? { itemShape.first }
  /// What every string looks like; `.text` when they differ, nil without strings.
  private(set) var format: StringFormat?
  /// Whether a secret was redacted, so that the value is not known.
  private(set) var hasRedacted = false
  // An array of at most one, since a struct cannot hold itself.
  private var itemShape: [JSONShape] = []

  init() {}

  init(_ value: JSONValue) { add(value) }

  /// Adds one more value to the shape.
  mutating func add(_ value: JSONValue) {
    count += 1
    switch value {
    case .null: kinds.insert(.null)
    case .bool: kinds.insert(.boolean)
    case .number(let number): kinds.insert(Self.isWhole(number) ? .integer : .number)
    case .string(let string): add(string.decodedBytes)
    case .array(let items):
      kinds.insert(.array)
      for item in items { addItem(item) }
    case .object(let members): add(members)
    }
  }

  private static func isWhole(_ number: JSONNumber) -> Bool {
    !number.raw.contains { ".eE".utf8.contains($0) }
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
    if Self.areData(written.map(\.name.decodedBytes)) {
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

  /// Whether every object has this member.
  func isAlways(_ member: Member) -> Bool { member.count == objects }

  /// The types, for people: `integer`, `string or null`.
  var text: String {
    if kinds.isEmpty { return "nothing" }
    return kinds.sorted().map(\.rawValue).joined(separator: " or ")
  }

  // MARK: Maps

  /// Whether all names, and there is at least one, are numbers, dates or identifiers made by a machine.
  private static func areData(_ names: [[UInt8]]) -> Bool { !names.isEmpty && names.allSatisfy(isData) }

  private static func isData(_ name: [UInt8]) -> Bool {
    if !name.isEmpty, name.allSatisfy(ASCII.isDigit) { return true }
    switch StringFormat(name) {
    case .uuid, .date, .time, .url: return true
    case .text: return isLongIdentifier(name)
    }
  }

  /// Sixteen characters and more, of which some are digits and all could be of a hash or a key.
  private static func isLongIdentifier(_ name: [UInt8]) -> Bool {
    name.count >= 16 && name.count(where: ASCII.isDigit) >= 3
      && name.allSatisfy {
        ASCII.isDigit($0) || ASCII.lowercased($0) &- 0x61 < 26 || $0 == 0x2D || $0 == 0x5F
      }
  }
}

/// What a text looks like, as far as a change of it would surprise a program.
enum StringFormat: String {
  case text
  /// `2026-11-21`.
  case date
  /// A date with a time behind it (RFC 3339).
  case time = "date and time"
  case uuid = "UUID"
  case url = "URL"

  init(_ bytes: [UInt8]) {
    if Self.isUUID(bytes) {
      self = .uuid
    } else if Self.startsWithDate(bytes) {
      self = bytes.count == 10 ? .date : Self.isTimeBehindDate(bytes) ? .time : .text
    } else if bytes.starts(with: "http://".utf8) || bytes.starts(with: "https://".utf8) {
      self = .url
    } else {
      self = .text
    }
  }

  private static func isUUID(_ bytes: [UInt8]) -> Bool {
    bytes.count == 36
      && bytes.indices.allSatisfy { index in
        [8, 13, 18, 23].contains(index) ? bytes[index] == 0x2D : ASCII.hexValue(bytes[index]) != nil
      }
  }

  private static func startsWithDate(_ bytes: [UInt8]) -> Bool {
    bytes.count >= 10
      && (0..<10).allSatisfy { [4, 7].contains($0) ? bytes[$0] == 0x2D : ASCII.isDigit(bytes[$0]) }
  }

  private static func isTimeBehindDate(_ bytes: [UInt8]) -> Bool {
    bytes.count >= 16 && [0x54, 0x74, 0x20].contains(bytes[10]) && bytes[13] == 0x3A
      && [11, 12, 14, 15].allSatisfy { ASCII.isDigit(bytes[$0]) }
  }
}
