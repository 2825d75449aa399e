extension JSONValue {
  /// Whether both mean the same (RFC 6902 §4.6): strings by their characters, numbers by their value whatever its
  /// spelling, objects whatever the order of their members. Of several members of one name the last counts.
  public func isEquivalent(to other: JSONValue) -> Bool {
    switch (self, other) {
    case (.string(let left), .string(let right)): left.decodedBytes == right.decodedBytes
    case (.number(let left), .number(let right)): left.isEquivalent(to: right)
    case (.array(let left), .array(let right)):
      left.count == right.count && zip(left, right).allSatisfy { $0.isEquivalent(to: $1) }
    case (.object(let left), .object(let right)):
      Self.areEquivalent(Self.byName(left), Self.byName(right))
    default: self == other
    }
  }

  private static func byName(_ members: [JSONMember]) -> [[UInt8]: JSONValue] {
    Dictionary(members.map { ($0.name.decodedBytes, $0.value) }) { _, last in last }
  }

  private static func areEquivalent(_ left: [[UInt8]: JSONValue], _ right: [[UInt8]: JSONValue]) -> Bool {
    left.count == right.count
      && left.allSatisfy { name, value in right[name].map { value.isEquivalent(to: $0) } ?? false }
  }
}

extension JSONNumber {
  /// Whether both are the same number: `1.0` is `1` and `10e-1`. Exact at any size.
  public func isEquivalent(to other: JSONNumber) -> Bool { self == other || value == other.value }

  private struct Value: Equatable {
    var isNegative: Bool
    /// Without zeros at either end; none for zero.
    var digits: ArraySlice<UInt8>
    /// Of the last digit; nil when it is beyond what an integer holds.
    var exponent: Int?
  }

  private var value: Value {
    var rest = raw
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative { rest = rest.dropFirst() }
    let mantissa = rest.prefix { ASCII.lowercased($0) != UInt8(ascii: "e") }
    let point = mantissa.firstIndex(of: UInt8(ascii: "."))
    let places = point.map { mantissa.endIndex - $0 - 1 } ?? 0
    var digits = mantissa.filter(ASCII.isDigit)[...]
    let count = digits.count
    while digits.last == UInt8(ascii: "0") { digits = digits.dropLast() }
    let dropped = count - digits.count
    digits = digits.drop { $0 == UInt8(ascii: "0") }
    guard !digits.isEmpty else { return Value(isNegative: false, digits: [], exponent: 0) }
    let written = rest.count == mantissa.count ? 0 : Self.exponent(rest[(mantissa.endIndex + 1)...])
    let sum = written?.addingReportingOverflow(dropped - places)
    return Value(
      isNegative: isNegative, digits: digits,
      exponent: sum.flatMap { $0.overflow ? nil : $0.partialValue })
  }

  private static func exponent(_ text: ArraySlice<UInt8>) -> Int? {
    Int(String(decoding: text, as: UTF8.self))
  }
}
