import TapedeckHTTP
import TapedeckRecording

/// Times as other tools write them, in milliseconds; nil, never an error, for what is no time.
package enum ImportedTime {
  /// Reads ISO 8601 as HAR requires it (`2026-11-21T01:52:33.123+01:00`), with any fraction and any zone; without a zone
  /// the time is UTC.
  package static func iso8601(_ text: String) -> Int? {
    var scanner = Scanner(text)
    guard let year = scanner.number(4), scanner.take("-"), let month = scanner.number(2), scanner.take("-"),
      let day = scanner.number(2), scanner.take("T") || scanner.take("t") || scanner.take(" "),
      let hour = scanner.number(2), scanner.take(":"), let minute = scanner.number(2)
    else { return nil }
    let second = scanner.take(":") ? scanner.number(2) : 0
    let fraction = scanner.take(".") || scanner.take(",") ? scanner.thousandths() : 0
    guard let second, let fraction, let zone = scanner.zoneMinutes(), scanner.isAtEnd else { return nil }
    return milliseconds(year, month, day, hour, minute - zone, second, fraction)
  }

  /// Reads a date of HTTP (RFC 9110 §5.6.7) in its preferred form, `Sun, 06 Nov 1994 08:49:37 GMT`.
  static func http(_ text: String) -> Int? {
    let words = text.split(separator: " ")
    guard words.count == 6, words[5] == "GMT" || words[5] == "UTC",
      let month = HTTPDate.months.firstIndex(of: String(words[2])),
      let day = Int(words[1]), let year = Int(words[3]), (0...9999).contains(year)
    else { return nil }
    let clock = words[4].split(separator: ":").compactMap { Int($0) }
    guard clock.count == 3 else { return nil }
    return milliseconds(year, month + 1, day, clock[0], clock[1], clock[2], 0)
  }

  private static func milliseconds(
    _ year: Int, _ month: Int, _ day: Int, _ hour: Int, _ minute: Int, _ second: Int, _ thousandths: Int
  ) -> Int? {
    guard (1...12).contains(month), (1...31).contains(day), (0...24).contains(hour),
      (0...60).contains(second),
      (-6000...6000).contains(minute)
    else { return nil }
    let days = Timestamp.days(year: year, month: month, day: day)
    return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + thousandths
  }

  private static let goUnits: [(name: String, milliseconds: Double)] = [
    ("ns", 1e-6), ("us", 1e-3), ("µs", 1e-3), ("μs", 1e-3), ("ms", 1), ("s", 1000), ("m", 60_000),
    ("h", 3_600_000),
  ]

  /// Reads a duration as Go writes it: `1.5s`, `120ms`, `2m3.5s`.
  static func goDuration(_ text: String) -> Double? {
    var rest = text[...]
    var total = 0.0
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isASCII && $0.isNumber || $0 == "." }
      let unit = rest.dropFirst(digits.count).prefix { !($0.isASCII && $0.isNumber) && $0 != "." }
      guard let value = Double(digits), let factor = goUnits.first(where: { $0.name == unit })?.milliseconds
      else { return nil }
      total += value * factor
      rest = rest.dropFirst(digits.count + unit.count)
    }
    return VolatileFacts.milliseconds.contains(total) && !text.isEmpty ? total : nil
  }

  private struct Scanner {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ byte: Unicode.Scalar) -> Bool {
      guard let first = rest.first, UInt32(first) == byte.value else { return false }
      rest.removeFirst()
      return true
    }

    mutating func number(_ digits: Int) -> Int? {
      let text = rest.prefix(digits)
      guard text.count == digits, text.allSatisfy(ASCII.isDigit) else { return nil }
      rest = rest.dropFirst(digits)
      return text.reduce(0) { $0 * 10 + Int($1 & 0x0F) }
    }

    /// At least one digit; what is finer than a thousandth is dropped.
    mutating func thousandths() -> Int? {
      let digits = rest.prefix(while: ASCII.isDigit)
      guard !digits.isEmpty else { return nil }
      rest = rest.dropFirst(digits.count)
      let padded = Array(digits.prefix(3)) + Array(repeating: 0x30, count: max(0, 3 - digits.count))
      return padded.reduce(0) { $0 * 10 + Int($1 & 0x0F) }
    }

    /// How far the clock is ahead of UTC.
    mutating func zoneMinutes() -> Int? {
      if isAtEnd || take("Z") || take("z") { return 0 }
      let isBehind = take("-")
      guard isBehind || take("+"), let hours = number(2) else { return nil }
      let minutes = take(":") || !isAtEnd ? number(2) : 0
      return minutes.map { (hours * 60 + $0) * (isBehind ? -1 : 1) }
    }
  }
}
