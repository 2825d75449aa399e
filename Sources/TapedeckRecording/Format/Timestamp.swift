import TapedeckHTTP

/// Times in UTC: `2026-11-21T01:52:33.123456Z`, or three fractional digits. Uses Hinnant's `days_from_civil`.
package enum Timestamp {
  package static func text(milliseconds: Int) -> String {
    let (second, fraction) = divide(milliseconds, 1000)
    return withBytes(second: second, fraction: fraction, digits: 3) { String(decoding: $0, as: UTF8.self) }
  }

  /// Calls `body` with a time as it is written.
  static func withBytes<Result>(microseconds: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    let (second, fraction) = divide(microseconds, 1_000_000)
    let isShort = fraction.isMultiple(of: 1000)
    return withBytes(
      second: second, fraction: isShort ? fraction / 1000 : fraction, digits: isShort ? 3 : 6, body)
  }

  /// More than the longest time has.
  private static let maximumBytes = 64

  private static func withBytes<Result>(
    second: Int, fraction: Int, digits: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    let (day, time) = divide(second, 86_400)
    let (year, month, dayOfMonth) = civil(day)
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: maximumBytes) { out in
      var end = 0
      func put(_ value: Int, _ width: Int, _ mark: Unicode.Scalar) {
        end = write(value, width, in: out, at: end)
        out[end] = UInt8(ascii: mark)
        end += 1
      }
      put(year, 4, "-")
      put(month, 2, "-")
      put(dayOfMonth, 2, "T")
      put(time / 3600, 2, ":")
      put(time / 60 % 60, 2, ":")
      put(time % 60, 2, ".")
      put(fraction, digits, "Z")
      return body(UnsafeBufferPointer(rebasing: out[..<end]))
    }
  }

  /// Microseconds since 1970 of a time with three or six fractional digits; `nil` for anything else.
  package static func microseconds(_ written: String) -> Int? {
    var written = written
    return written.withUTF8 { microseconds(UnsafeRawBufferPointer($0)) }
  }

  static func microseconds(_ bytes: UnsafeRawBufferPointer) -> Int? {
    let form: StaticString = bytes.count == 24 ? "0000-00-00T00:00:00.000Z" : "0000-00-00T00:00:00.000000Z"
    guard bytes.count == form.utf8CodeUnitCount else { return nil }
    for (index, byte) in bytes.enumerated() {
      let expected = form.utf8Start[index]
      guard expected == 0x30 ? ASCII.isDigit(byte) : byte == expected else { return nil }
    }
    func number(_ range: Range<Int>) -> Int { bytes[range].reduce(0) { $0 * 10 + Int($1 & 0x0F) } }
    let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
    let (hour, minute, second) = (number(11..<13), number(14..<16), number(17..<19))
    let days = days(year: year, month: month, day: day)
    guard civil(days) == (year, month, day), hour < 24, minute < 60, second < 60 else { return nil }
    let fraction = number(20..<bytes.count - 1) * (bytes.count == 24 ? 1000 : 1)
    return ((days * 24 + hour) * 3600 + minute * 60 + second) * 1_000_000 + fraction
  }

  static func divide(_ value: Int, _ divisor: Int) -> (quotient: Int, remainder: Int) {
    let remainder = (value % divisor + divisor) % divisor
    return ((value - remainder) / divisor, remainder)
  }

  private static func civil(_ day: Int) -> (year: Int, month: Int, day: Int) {
    let (era, dayOfEra) = divide(day + 719_468, 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }

  package static func days(year: Int, month: Int, day: Int) -> Int {
    let (era, yearOfEra) = divide(month <= 2 ? year - 1 : year, 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// Writes a number with at least `width` characters, and returns its end.
  private static func write(
    _ value: Int, _ width: Int, in out: UnsafeMutableBufferPointer<UInt8>, at start: Int
  ) -> Int {
    guard value >= 0 else {
      out[start] = UInt8(ascii: "-")
      return write(-value, width - 1, in: out, at: start + 1)
    }
    var (size, limit) = (2, 100)
    while size < width || value >= limit { (size, limit) = (size + 1, limit * 10) }
    var rest = value
    for index in (start..<start + size).reversed() {
      out[index] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    return start + size
  }
}

/// The preferred date form of HTTP (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
  package static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
  /// 1 January 1970 was a Thursday.
  private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

  package static func text(_ milliseconds: Int) -> String {
    let written = Array(Timestamp.text(milliseconds: milliseconds).utf8)
    func part(_ range: Range<Int>) -> String { String(decoding: written[range], as: UTF8.self) }
    let weekday = weekdays[Timestamp.divide(Timestamp.divide(milliseconds, 86_400_000).quotient, 7).remainder]
    let month = months[(Int(part(5..<7)) ?? 1) - 1]
    return "\(weekday), \(part(8..<10)) \(month) \(part(0..<4)) \(part(11..<19)) GMT"
  }

  /// Seconds since 1970; `nil` for any other form.
  package static func seconds(_ text: String) -> Int? {
    let words = text.split(separator: " ")
    guard words.count == 6, words[5] == "GMT", let month = months.firstIndex(of: String(words[2])) else {
      return nil
    }
    let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
    return Timestamp.microseconds("\(words[3])-\(number)-\(words[1])T\(words[4]).000Z").map { $0 / 1_000_000 }
  }
}
