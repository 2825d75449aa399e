import TapedeckHTTP
import TapedeckRecording

/// Times as other tools write them, in milliseconds; `nil` for anything that is not a time.
package enum ImportedTime {
  /// Reads ISO 8601 as HAR requires it (`2026-11-21T01:52:33.123+01:00`), with any fraction and any zone; without a zone
  /// the time is UTC.
  package static func iso8601(_ text: String) -> Int? {
    var rest = text.utf8[...]
    func take(_ marks: String) -> Bool {
      guard let first = rest.first, marks.utf8.contains(first) else { return false }
      rest.removeFirst()
      return true
    }
    func number(_ count: Int) -> Int? {
      let digits = rest.prefix(count).prefix(while: ASCII.isDigit)
      guard digits.count == count else { return nil }
      rest = rest.dropFirst(count)
      return digits.reduce(0) { $0 * 10 + Int($1 & 0x0F) }
    }
    guard let year = number(4), take("-"), let month = number(2), take("-"), let day = number(2),
      take("Tt "), let hour = number(2), take(":"), let minute = number(2),
      let second = take(":") ? number(2) : 0
    else { return nil }
    var thousandths = 0
    if take(".,") {
      let digits = rest.prefix(while: ASCII.isDigit)
      guard !digits.isEmpty else { return nil }
      rest = rest.dropFirst(digits.count)
      thousandths = (Array(digits.prefix(3)) + [0x30, 0x30]).prefix(3).reduce(0) { $0 * 10 + Int($1 & 0x0F) }
    }
    var zone = 0
    if !rest.isEmpty, !take("Zz") {
      let sign = take("-") ? -1 : 1
      guard sign < 0 || take("+"), let hours = number(2),
        let minutes = take(":") || !rest.isEmpty ? number(2) : 0
      else { return nil }
      zone = (hours * 60 + minutes) * sign
    }
    return rest.isEmpty ? milliseconds(year, month, day, hour, minute - zone, second, thousandths) : nil
  }

  /// Reads a date of HTTP (RFC 9110 §5.6.7) in its preferred form, `Sun, 06 Nov 1994 08:49:37 GMT`.
  package static func http(_ text: String) -> Int? {
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
      (0...60).contains(second), (-6000...6000).contains(minute)
    else { return nil }
    let days = Timestamp.days(year: year, month: month, day: day)
    return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + thousandths
  }

  private static let goUnits: [Substring: Double] = [
    "ns": 1e-6, "us": 1e-3, "µs": 1e-3, "μs": 1e-3, "ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000,
  ]

  /// Reads a duration as Go writes it: `1.5s`, `120ms`, `2m3.5s`.
  static func goDuration(_ text: String) -> Double? {
    var rest = text[...]
    var total = 0.0
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isASCII && $0.isNumber || $0 == "." }
      let unit = rest.dropFirst(digits.count).prefix { !($0.isASCII && $0.isNumber) && $0 != "." }
      guard let value = Double(digits), let factor = goUnits[unit] else { return nil }
      total += value * factor
      rest = rest.dropFirst(digits.count + unit.count)
    }
    return VolatileFacts.milliseconds.contains(total) && !text.isEmpty ? total : nil
  }
}
