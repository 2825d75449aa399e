import TapedeckHTTP

/// What differs between two JSON values, by path: `$.user.name`, `$.items[2]`, `$["a b"]`.
struct JSONComparison {
  private static let maximumDifferences = 20
  private(set) var differences: [RequestDifference] = []

  mutating func compare(_ left: JSONValue?, _ right: JSONValue?, path: String) {
    guard differences.count < Self.maximumDifferences else { return }
    switch (left, right) {
    case (.object(let old)?, .object(let new)?): compareMembers(old, new, path: path)
    case (.array(let old)?, .array(let new)?):
      for index in 0..<max(old.count, new.count) where differences.count < Self.maximumDifferences {
        compare(
          old.dropFirst(index).first, new.dropFirst(index).first, path: "\(path)[\(index)]")
      }
    default:
      if left.map(CanonicalJSON.bytes) == right.map(CanonicalJSON.bytes) { return }
      differences.append(
        RequestDifference(field: path, recorded: left.map(Self.text), received: right.map(Self.text)))
    }
  }

  private mutating func compareMembers(_ old: [JSONMember], _ new: [JSONMember], path: String) {
    let left = Dictionary(grouping: CanonicalJSON.sorted(old), by: \.name)
    let right = Dictionary(grouping: CanonicalJSON.sorted(new), by: \.name)
    for name in Set(left.keys).union(right.keys).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      let (old, new) = (left[name] ?? [], right[name] ?? [])
      for index in 0..<max(old.count, new.count) {
        compare(
          old.dropFirst(index).first?.value, new.dropFirst(index).first?.value, path: path + Self.step(name))
      }
    }
  }

  /// `.name`, or `["name"]` where the name is no plain word.
  private static func step(_ name: [UInt8]) -> String {
    let isWord = name.allSatisfy {
      Bytes.isDigit($0) || Bytes.lowercased($0) &- 0x61 < 26 || $0 == UInt8(ascii: "_")
    }
    if isWord, let first = name.first, !Bytes.isDigit(first) {
      return "." + String(decoding: name, as: UTF8.self)
    }
    return "[\(RequestDifference.quoted(name))]"
  }

  private static func text(_ value: JSONValue) -> String { RequestDifference.excerpt(value.bytes(.spaced)) }
}
