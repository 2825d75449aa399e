/// A number as written, of any size and precision.
public struct JSONNumber: Sendable, Equatable {
  let slice: JSONSlice

  init(slice: JSONSlice) { self.slice = slice }

  /// Creates a number from an integer.
  public init(_ value: Int) { slice = JSONSlice(Array(String(value).utf8)) }

  /// Creates a number from an integer of any width.
  public init(integer value: some FixedWidthInteger) { slice = JSONSlice(Array(String(value).utf8)) }

  /// Writes the fewest digits that read back as this value; `nil` if it is not finite.
  public init?(_ value: Double) {
    guard value.isFinite else { return nil }
    let text = value.description
    slice = JSONSlice(Array(text.hasSuffix(".0") ? text.dropLast(2).utf8 : text[...].utf8))
  }

  /// The bytes as written in the document.
  public var raw: ArraySlice<UInt8> { slice.bytes }

  /// The value if written as an integer, without fraction and exponent, and in range.
  public var int: Int? {
    var digits = raw
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative { digits = digits.dropFirst() }
    var value = 0
    for digit in digits {
      guard ASCII.isDigit(digit) else { return nil }
      let (tens, overflowTens) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflowSum) = tens.subtractingReportingOverflow(Int(digit &- 0x30))
      guard !overflowTens, !overflowSum else { return nil }
      value = sum
    }
    if isNegative { return value }
    return value == .min ? nil : -value
  }

  /// The nearest finite double, if any.
  public var double: Double? {
    guard let value = Double(String(decoding: raw, as: UTF8.self)), value.isFinite else { return nil }
    return value
  }

  /// Creates a number with at most three decimals, for durations in milliseconds; `nil` if not finite.
  public init?(thousandths value: Double) {
    guard let scaled = Self.scaled(thousandths: value) else { return nil }
    var digits: [UInt8] = []
    Self.append(thousandths: scaled, to: &digits)
    slice = JSONSlice(digits)
  }

  /// The nearest number of thousandths; `nil` from 1e15 on.
  package static func scaled(thousandths value: Double) -> Int? {
    value.isFinite && value.magnitude < 1e15 ? Int((value * 1000).rounded()) : nil
  }

  static func append(thousandths scaled: Int, to out: inout [UInt8]) {
    if scaled < 0 { out.append(UInt8(ascii: "-")) }
    let (whole, fraction) = scaled.magnitude.quotientAndRemainder(dividingBy: 1000)
    ASCII.append(Int(whole), to: &out)
    guard fraction > 0 else { return }
    out.append(UInt8(ascii: "."))
    out.append(0x30 + UInt8(truncatingIfNeeded: fraction / 100))
    out.append(0x30 + UInt8(truncatingIfNeeded: fraction / 10 % 10))
    out.append(0x30 + UInt8(truncatingIfNeeded: fraction % 10))
    while out.last == 0x30 { out.removeLast() }
  }

  static func append(_ number: Int, to out: inout [UInt8]) {
    guard number < 0 else { return ASCII.append(number, to: &out) }
    out += String(number).utf8
  }
}
