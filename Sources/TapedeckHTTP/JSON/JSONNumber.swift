/// A number as it is written, of any size and precision.
public struct JSONNumber: Sendable, Equatable {
  let slice: JSONSlice

  init(slice: JSONSlice) { self.slice = slice }

  public init(_ value: Int) { slice = JSONSlice(Array(String(value).utf8)) }

  public init(integer value: some FixedWidthInteger) { slice = JSONSlice(Array(String(value).utf8)) }

  /// Written with the fewest digits that read back as this value, a whole number without a fraction; nil when it is
  /// not finite.
  public init?(_ value: Double) {
    guard value.isFinite else { return nil }
    let text = value.description
    slice = JSONSlice(Array(text.hasSuffix(".0") ? text.dropLast(2).utf8 : text[...].utf8))
  }

  /// The bytes as they stand in the document.
  public var raw: ArraySlice<UInt8> { slice.bytes }

  /// The value when it is written as a plain integer, without fraction and exponent, and fits.
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

  /// The nearest double; nil when it is beyond all of them.
  public var double: Double? {
    guard let value = Double(String(decoding: raw, as: UTF8.self)), value.isFinite else { return nil }
    return value
  }

  /// A number with at most three decimals, as durations in milliseconds are written; nil when it is not finite.
  public init?(thousandths value: Double) {
    guard value.isFinite, value.magnitude < 1e15 else { return nil }
    let scaled = Int64((value * 1000).rounded())
    let fraction = scaled.magnitude % 1000
    var text = "\(scaled < 0 ? "-" : "")\(scaled.magnitude / 1000)"
    if fraction > 0 {
      let digits = String(fraction + 1000).dropFirst()
      text += "." + digits.prefix(through: digits.lastIndex { $0 != "0" } ?? digits.startIndex)
    }
    slice = JSONSlice(Array(text.utf8))
  }
}
