import TapedeckHTTP
import TapedeckRedaction

/// Which cookies say whose session it is, by their names: `session`, `sid`, `PHPSESSID`, `auth_token`. Those against
/// forged requests, which are new for each form, and those of analytics say nothing about it.
enum SessionCookie {
  /// Without these, which frameworks use, the names of secrets would not do.
  private static let beginnings = [
    ".aspnetcore.cookies", ".aspnetcore.identity", "aspsessionid", "sess", "ssess", "wordpress_logged_in_",
  ].map { Array($0.utf8) }
  private static let others = ["_csrf", "_ga", "_gid", "_hj", "ai_", "amp_", "csrf", "xsrf"].map {
    Array($0.utf8)
  }

  /// - Parameter pair: `name=value`.
  static func isOne(_ pair: [UInt8]) -> Bool {
    let name = pair.prefix { $0 != UInt8(ascii: "=") }.map(ASCII.lowercased)
    let words = SecretNames.words(of: pair.prefix(name.count))
    if others.contains(where: name.starts) || words.contains(where: { $0.hasPrefix("csrf") || $0 == "xsrf" })
    {
      return false
    }
    return words.last == "sid" || beginnings.contains(where: name.starts)
      || SecretNames.strength(of: words, in: .pair) >= .likely
  }
}
