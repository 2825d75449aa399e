extension JSONValue {
  /// Whether both mean the same (RFC 6902 §4.6), whatever the escapes, the spelling of numbers and the order
  /// of members. Of duplicate members the last counts.
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
  /// Whether both are the same number, like `1.0`, `1` and `10e-1`. Exact at any size.
  public func isEquivalent(to other: JSONNumber) -> Bool { self == other || value == other.value }

  /// Digits without zeros at either end, none for zero; the last one's exponent, `nil` on overflow.
  private var value: (isNegative: Bool, digits: ArraySlice<UInt8>, exponent: Int?) {
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
    guard !digits.isEmpty else { return (false, [], 0) }
    let written = rest.dropFirst(mantissa.count + 1)
    let exponent = written.isEmpty ? 0 : Int(String(decoding: written, as: UTF8.self))
    let sum = exponent?.addingReportingOverflow(dropped - places)
    return (isNegative, digits, sum.flatMap { $0.overflow ? nil : $0.partialValue })
  }
}
