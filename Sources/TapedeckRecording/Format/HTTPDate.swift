/// Dates in the form HTTP prefers (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
  package static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
  /// The first of January 1970 was a Thursday.
  private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

  package static func text(_ milliseconds: Int) -> String {
    let written = Array(Timestamp.text(milliseconds: milliseconds).utf8)
    func part(_ range: Range<Int>) -> String { String(decoding: written[range], as: UTF8.self) }
    let day = milliseconds / 86_400_000 - (milliseconds % 86_400_000 < 0 ? 1 : 0)
    let month = months[(Int(part(5..<7)) ?? 1) - 1]
    return "\(weekdays[(day % 7 + 7) % 7]), \(part(8..<10)) \(month) \(part(0..<4)) \(part(11..<19)) GMT"
  }
}
