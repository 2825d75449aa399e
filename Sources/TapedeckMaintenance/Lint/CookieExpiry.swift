import TapedeckRecording

/// When a cookie goes, as its `Expires` says (RFC 6265 §5.1.1, in the forms that servers write).
enum CookieExpiry {
  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  /// Milliseconds since 1970 UTC; nil when it does not say, or says it by `Max-Age`, which counts from the answer.
  static func milliseconds(_ cookie: String) -> Int? {
    var expires: Substring?
    for attribute in cookie.split(separator: ";").dropFirst() {
      let parts = attribute.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, let name = parts[0].split(separator: " ").first?.lowercased() else { continue }
      if name == "max-age" { return nil }
      if name == "expires" { expires = parts[1] }
    }
    return expires.flatMap(date)
  }

  /// `Wed, 09 Jun 2027 10:18:14 GMT`, also with dashes or a year of two digits.
  private static func date(_ text: Substring) -> Int? {
    let words = text.split { " ,-".contains($0) }
    guard words.count >= 5, let day = Int(words[1]), let year = Int(words[3]),
      let month = months.firstIndex(of: words[2].prefix(3).lowercased())
    else { return nil }
    let whole = year < 70 ? year + 2000 : year < 100 ? year + 1900 : year
    return Timestamp.microseconds(
      "\(padded(whole, 4))-\(padded(month + 1, 2))-\(padded(day, 2))T\(words[4]).000Z"
    ).map { $0 / 1000 }
  }

  private static func padded(_ value: Int, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
