import TapedeckHTTP
import TapedeckRedaction

/// What JSON values have in common when what they say is left aside: which types, which members, and what the items of
/// arrays look like, all of them laid over each other.
///
/// An object whose names are data (numbers, dates, long identifiers) is taken for a map: its values are laid over each
/// other like the items of an array. Nothing is learned from values, except that a text looks like a date, a UUID or a
/// URL, or stands for a secret.
struct JSONShape: Equatable {
  enum Kind: String, CaseIterable, Comparable {
    case null, boolean, integer, number, string, array, object, map

    static func < (left: Kind, right: Kind) -> Bool { left.rawValue < right.rawValue }
  }

  struct Member: Equatable {
    var shape: JSONShape
    /// In how many of the objects it stands.
    var count: Int
  }

  /// How many values have gone into this.
  private(set) var count = 0
  private(set) var kinds: Set<Kind> = []
  private(set) var objects = 0
  /// By decoded name.
  private(set) var members: [[UInt8]: Member] = [:]
  /// Of arrays and maps, all items together; nil as long as there was none.
  var items: JSONShape? { itemShape.first }
  /// What every string looks like; nil when they do not look the same.
  private(set) var format: StringFormat?
  /// Whether a secret was taken out, so that nobody knows what stood there.
  private(set) var hasRedacted = false
  // An array of at most one, for a value cannot hold itself.
  private var itemShape: [JSONShape] = []

  init() {}

  init(_ value: JSONValue) { add(value) }

  /// Lays one more value over what is there.
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
    if MapNames.areData(written.map(\.name.decodedBytes)) {
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
}
