internal import TapedeckHTTP

/// Turns what names the origin into what names us, on the way out to the client; the cassette keeps the origin's own
/// form.
///
/// `Location` and `Content-Location` that lead to the origin lead to the address the client used. A cookie's `Domain`
/// that covers the origin becomes the host the client used, or goes where that is an address or a single label, for
/// which browsers and libraries disagree about `Domain`; `Secure` goes, with what depends on it, since we serve plain
/// http. Values are read as Latin-1, so that any byte survives the way through text.
struct OriginRewriter: Sendable {
  let scheme: String
  /// `host` or `host:port`, lower case, without a default port.
  let authority: String
  let host: String
  /// Empty, or like `/v2`.
  let pathPrefix: String

  /// Whether any field of an answer would be changed.
  func concerns(_ fields: HTTPFields) -> Bool {
    fields.contains { field in
      if field.isNamed("location") || field.isNamed("content-location") {
        return rewrittenLocation(Self.text(field.value), proxy: "") != nil
      }
      return field.isNamed("set-cookie")
        && rewrittenCookie(Self.text(field.value), proxy: "") != nil
    }
  }

  /// Whether there is anything to look at.
  private static func holdsAddresses(_ fields: HTTPFields) -> Bool {
    fields.contains("location") || fields.contains("content-location") || fields.contains("set-cookie")
  }

  /// The fields for a client that reached us as `proxyAuthority`.
  func rewritten(_ fields: HTTPFields, proxyAuthority: [UInt8]) -> HTTPFields {
    guard Self.holdsAddresses(fields) else { return fields }
    var result = fields
    for (index, field) in fields.enumerated() {
      let isLocation = field.isNamed("location") || field.isNamed("content-location")
      guard isLocation || field.isNamed("set-cookie") else { continue }
      let text = Self.text(field.value)
      let proxy = Self.text(proxyAuthority[...])
      let replaced =
        isLocation ? rewrittenLocation(text, proxy: proxy) : rewrittenCookie(text, proxy: proxy)
      guard let replaced else { continue }
      try? result.replaceValue(
        at: index, with: replaced.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
    }
    return result
  }

  /// The new location; nil when it does not name the origin or lies outside the part of it that we serve.
  func rewrittenLocation(_ location: String, proxy: String) -> String? {
    let bytes = Array(location.utf8)
    let rest: ArraySlice<UInt8>
    let base = "\(scheme)://\(authority)".utf8
    if bytes.first == UInt8(ascii: "/"), !bytes.starts(with: "//".utf8) {
      guard !pathPrefix.isEmpty else { return nil }
      return withoutPrefix(bytes[...]).map { String(decoding: $0, as: UTF8.self) }
    }
    // `//authority` takes the scheme of the page it stands on, which for the origin was its own (RFC 3986 §4.2).
    let absolute = bytes.starts(with: "//".utf8) ? Array("\(scheme):".utf8) + bytes : bytes
    guard let end = endOfOrigin(absolute, base: Array(base)) else { return nil }
    rest = absolute[end...]
    if let first = rest.first, !"/?#".utf8.contains(first) { return nil }
    guard let path = withoutPrefix(rest) else { return nil }
    let text = String(decoding: path, as: UTF8.self)
    // A client of HTTP/1.0 need not say where it thinks it is; a path leads back to us all the same.
    guard !proxy.isEmpty else { return text.hasPrefix("/") ? text : "/\(text)" }
    return "http://\(proxy)\(text)"
  }

  /// Where the origin ends in `bytes`, its default port spelled out or not; nil when another one stands there.
  private func endOfOrigin(_ bytes: [UInt8], base: [UInt8]) -> Int? {
    guard bytes.count >= base.count, bytes.prefix(base.count).map(Self.lowercased) == base else { return nil }
    let defaultPort = Array((scheme == "https" ? ":443" : ":80").utf8)
    let hasPort = authority != host
    if !hasPort, bytes[base.count...].starts(with: defaultPort) { return base.count + defaultPort.count }
    return base.count
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

  private func withoutPrefix(_ path: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard !pathPrefix.isEmpty else { return path }
    guard path.starts(with: pathPrefix.utf8) else { return nil }
    let rest = path.dropFirst(pathPrefix.utf8.count)
    if rest.isEmpty { return [UInt8(ascii: "/")] }
    return "/?#".utf8.contains(rest.first ?? 0) ? rest : nil
  }

  /// The new cookie; nil when nothing in it has to change.
  func rewrittenCookie(_ cookie: String, proxy: String) -> String? {
    let parts = cookie.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
    let isSecure = parts.dropFirst().contains { Self.attribute($0).name == "secure" }
    var kept: [String] = []
    var hasChanged = false
    for (index, part) in parts.enumerated() {
      let text = String(decoding: part, as: UTF8.self)
      guard index > 0 else {
        kept.append(text)
        continue
      }
      let replaced = rewrittenAttribute(
        text, Self.attribute(part), isSecure: isSecure, proxy: proxy)
      hasChanged = hasChanged || replaced != text
      if let replaced { kept.append(replaced) }
    }
    return hasChanged ? kept.joined(separator: ";") : nil
  }

  private func rewrittenAttribute(
    _ text: String, _ attribute: (name: String, value: String), isSecure: Bool, proxy: String
  ) -> String? {
    switch attribute.name {
    case "secure": nil
    case "samesite" where isSecure && attribute.value == "none": nil
    case "domain" where covers(attribute.value): Self.cookieDomain(proxy).map { " Domain=\($0)" }
    case "path" where !pathPrefix.isEmpty:
      withoutPrefix(Array(attribute.value.utf8)[...])
        .map { " Path=" + String(decoding: $0, as: UTF8.self) } ?? text
    default: text
    }
  }

  /// Whether a cookie of `domain` would be sent to the origin (RFC 6265 §5.1.3).
  private func covers(_ domain: String) -> Bool {
    let bare = domain.hasPrefix(".") ? String(domain.dropFirst()) : domain
    return host == bare || host.hasSuffix("." + bare)
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    String(String.UnicodeScalarView(bytes.map { UnicodeScalar($0) }))
  }

  /// The host of an authority, where it can stand in a cookie: a name with a dot in it.
  private static func cookieDomain(_ authority: String) -> String? {
    let host = authority.prefix { $0 != ":" }
    guard let last = host.utf8.last, host.utf8.contains(UInt8(ascii: ".")), !(0x30...0x39).contains(last)
    else {
      return nil
    }
    return String(host)
  }

  private static func attribute(_ part: some Collection<UInt8>) -> (name: String, value: String) {
    let pieces = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      .map { trimmed(String(decoding: $0, as: UTF8.self)) }
    let name = pieces.first?.lowercased() ?? ""
    let value = pieces.count > 1 ? pieces[1] : ""
    return (name, name == "path" ? value : value.lowercased())
  }

  private static func trimmed(_ text: String) -> String {
    var text = Substring(text)
    while text.first == " " || text.first == "\t" { text.removeFirst() }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return String(text)
  }
}
