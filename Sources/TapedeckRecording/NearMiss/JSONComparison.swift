package import TapedeckHTTP

/// The differences between two JSON values, by path: `$.user.name`, `$.items[2]`, `$["a b"]`.
package struct JSONComparison {
  let maximumDifferences: Int
  package private(set) var differences: [RequestDifference] = []

  package init(maximumDifferences: Int = 20) { self.maximumDifferences = maximumDifferences }

  package mutating func compare(_ left: JSONValue?, _ right: JSONValue?, path: String) {
    guard differences.count < maximumDifferences else { return }
    switch (left, right) {
    case (.object(let old)?, .object(let new)?): compareMembers(old, new, path: path)
    case (.array(let old)?, .array(let new)?): compareItems(old, new, path: path)
    default:
      if left?.canonicalBytes == right?.canonicalBytes { return }
      differences.append(
        RequestDifference(field: path, recorded: left.map(Self.text), received: right.map(Self.text)))
    }
  }

  /// Compares item by item; if one list is longer, skips what is equal at both ends.
  private mutating func compareItems(_ old: [JSONValue], _ new: [JSONValue], path: String) {
    let common = old.count == new.count ? nil : CommonEnds(old, new)
    let left = old[common?.oldRange(old) ?? old.indices]
    let right = new[common?.newRange(new) ?? new.indices]
    for index in 0..<max(left.count, right.count) where differences.count < maximumDifferences {
      compare(
        left.dropFirst(index).first, right.dropFirst(index).first,
        path: "\(path)[\((common?.head ?? 0) + index)]")
    }
  }

  private mutating func compareMembers(_ old: [JSONMember], _ new: [JSONMember], path: String) {
    // Equal names in the same order, as usual, go together one by one.
    if old.count == new.count, zip(old, new).allSatisfy({ $0.name == $1.name }) {
      let different = zip(old, new).enumerated().filter { $0.element.0.value != $0.element.1.value }
        .map {
          (name: $0.element.0.name.decodedBytes, offset: $0.offset, old: $0.element.0, new: $0.element.1)
        }
        .sorted {
          $0.name == $1.name ? $0.offset < $1.offset : $0.name.lexicographicallyPrecedes($1.name)
        }
      for pair in different { compare(pair.old.value, pair.new.value, path: path + Self.step(pair.name)) }
      return
    }
    let left = Dictionary(grouping: JSONValue.sorted(old), by: \.name)
    let right = Dictionary(grouping: JSONValue.sorted(new), by: \.name)
    for name in Set(left.keys).union(right.keys).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      let (old, new) = (left[name] ?? [], right[name] ?? [])
      for index in 0..<max(old.count, new.count) {
        compare(
          old.dropFirst(index).first?.value, new.dropFirst(index).first?.value,
          path: path + Self.step(Array(name)))
      }
    }
  }

  /// `.name`, or `["name"]` if the name is not a plain word.
  package static func step(_ name: [UInt8]) -> String {
    let isWord = name.allSatisfy { ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "_") }
    if isWord, let first = name.first, !ASCII.isDigit(first) {
      return "." + String(decoding: name, as: UTF8.self)
    }
    return "[\(RequestDifference.quoted(name))]"
  }

  private static func text(_ value: JSONValue) -> String { RequestDifference.excerpt(value.bytes(.spaced)) }
}

/// The numbers of equal elements at the starts and ends of two lists.
package struct CommonEnds {
  package let head: Int
  let tail: Int

  package init<Element: Equatable>(_ old: [Element], _ new: [Element]) {
    let shorter = min(old.count, new.count)
    let head = (0..<shorter).prefix { old[$0] == new[$0] }.count
    self.head = head
    tail = (0..<(shorter - head)).prefix { old[old.count - 1 - $0] == new[new.count - 1 - $0] }.count
  }

  package func oldRange(_ old: [some Any]) -> Range<Int> { head..<(old.count - tail) }
  package func newRange(_ new: [some Any]) -> Range<Int> { head..<(new.count - tail) }
}
