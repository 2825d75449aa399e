internal import TapedeckHTTP

/// Cookies that were set for the origin are set for us.
///
/// A `Domain` that covers the origin becomes the host the client used, or goes where that is an address or a single
/// label, for which browsers and libraries disagree about `Domain`. `Secure` goes, and `SameSite=None`, which depends
/// on it, where the origin speaks https and the client plain http. It stays where the cookie's name begins with `__Secure-`
/// or `__Host-`: without it such a cookie is refused (RFC 6265bis §4.1.3), and with it browsers and curl take it from
/// a loopback address. Cookies for other domains stay as they are; clients refuse them from us as from the origin.
extension OriginRewriter {
  typealias CookieAttribute = (name: String, value: String)

  /// The new cookie; `nil` when nothing in it has to change.
  func rewrittenCookie(_ cookie: String, proxy: String) -> String? {
    let parts = cookie.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
    let attributes = parts.map { Self.attribute($0) }
    guard attributes.dropFirst().allSatisfy({ $0.name != "domain" || $0.value.isEmpty || covers($0.value) })
    else { return nil }
    let losesSecure =
      scheme == "https" && clientScheme == .http && !Self.needsSecure(cookie)
      && attributes.dropFirst().contains { $0.name == "secure" }
    let keepsRoot = !place.prefix.isEmpty && (Self.needsRoot(cookie) || isShared(attributes))
    let kept = zip(parts, attributes).enumerated().compactMap { index, part in
      let text = String(decoding: part.0, as: UTF8.self)
      if index == 0 || keepsRoot && part.1 == ("path", "/") { return text }
      return rewritten(text, part.1, losesSecure: losesSecure, proxy: proxy)
    }
    let result = kept.joined(separator: ";")
    return result == cookie ? nil : result
  }

  /// Whether its name says that it is no cookie without `Secure`.
  static func needsSecure(_ cookie: String) -> Bool {
    let name = cookie.utf8.prefix(9).map(ASCII.lowercased)
    return name.starts(with: "__secure-".utf8) || name.starts(with: "__host-".utf8)
  }

  /// Whether its name says that it is no cookie without `Path=/`.
  private static func needsRoot(_ cookie: String) -> Bool {
    cookie.utf8.prefix(7).map(ASCII.lowercased).starts(with: "__host-".utf8)
  }

  /// Whether its domain covers other origins too, which clients find below other paths.
  private func isShared(_ attributes: [CookieAttribute]) -> Bool {
    let domains = attributes.dropFirst().filter { $0.name == "domain" && !$0.value.isEmpty }.map(\.value)
    return domains.contains { domain in others.contains { $0.host != host && $0.covers(domain) } }
  }

  private func rewritten(
    _ text: String, _ attribute: CookieAttribute, losesSecure: Bool, proxy: String
  ) -> String? {
    switch attribute.name {
    case "secure" where losesSecure: nil
    case "samesite" where losesSecure && attribute.value == "none": nil
    case "domain" where covers(attribute.value): Self.cookieDomain(proxy).map { " Domain=\($0)" }
    case "path" where !pathPrefix.isEmpty || !place.prefix.isEmpty:
      clientPath(attribute.value).map { " Path=" + $0 } ?? text
    default: text
    }
  }

  /// A cookie's path as the client knows it; `nil` where that is the same. Of `/`, what remains is the prefix without
  /// a final slash, which covers `/auth` and `/auth/login` and not `/authors` (RFC 6265 §5.1.4).
  private func clientPath(_ path: String) -> String? {
    if let rest = withoutPrefix(Array(path.utf8)[...]) {
      let text = String(decoding: rest, as: UTF8.self)
      guard !place.prefix.isEmpty else { return text }
      return text == "/" ? place.prefix : text.hasPrefix("/") ? place.prefix + text : nil
    }
    // A path above the part that is served covers all of it.
    let isAbove = path.hasSuffix("/") ? pathPrefix.hasPrefix(path) : pathPrefix.hasPrefix(path + "/")
    return isAbove && path.hasPrefix("/") && !place.prefix.isEmpty ? place.prefix : nil
  }

  /// Whether a cookie of `domain` would be kept from the origin, and sent to it (RFC 6265 §5.1.3): an address covers
  /// nothing but itself, and neither does a single label, which is a public suffix.
  private func covers(_ domain: String) -> Bool {
    let bare = domain.hasPrefix(".") ? String(domain.dropFirst()) : domain
    if host == bare || isAddress && domain == "[\(host)]" { return true }
    return !isAddress && bare.utf8.contains(UInt8(ascii: ".")) && host.hasSuffix("." + bare)
  }

  /// As the URL Standard has it, a host that ends in a number is an IPv4 address.
  private var isAddress: Bool {
    host.utf8.contains(UInt8(ascii: ":"))
      || host.utf8.last.map(ASCII.isDigit) == true
        && host.utf8.allSatisfy { ASCII.isDigit($0) || $0 == UInt8(ascii: ".") }
  }

  /// The host of an authority, where it can stand in a cookie: a name with a dot in it.
  private static func cookieDomain(_ authority: String) -> String? {
    let host = authority.prefix { $0 != ":" }
    guard let last = host.utf8.last, host.contains("."), !ASCII.isDigit(last) else { return nil }
    return String(host)
  }

  private static func attribute(_ part: Substring.UTF8View) -> CookieAttribute {
    let pieces = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      .map { String(decoding: $0.trimmingBlanks(), as: UTF8.self) }
    let name = pieces.first?.lowercased() ?? ""
    let value = pieces.count > 1 ? pieces[1] : ""
    return (name, name == "path" ? value : value.lowercased())
  }
}
