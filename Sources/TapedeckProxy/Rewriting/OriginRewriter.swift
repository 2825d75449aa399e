internal import TapedeckHTTP
internal import TapedeckRecording

/// Turns what names the origin into what names us, on the way out to the client; the cassette keeps the origin's own
/// form.
///
/// A reference that leads to the origin leads to the address the client used; user information in it stays. What is a
/// reference depends on the field (`OriginRewriter+Fields`). Cookies have rules of their own
/// (`OriginRewriter+Cookies`). Values are read as Latin-1, so that any byte survives the way through text.
struct OriginRewriter: Sendable {
  let scheme: String
  /// `host` or `host:port`, lower case, without a default port; an IPv6 address in brackets.
  let authority: String
  /// Lower case; an IPv6 address without its brackets.
  let host: String
  /// Empty, or like `/v2`.
  let pathPrefix: String
  let rules: RewriteRules
  /// The names in `rules`, in lower case.
  let extraFields: [[UInt8]]
  private let bracketedHost: [UInt8]
  private let port: [UInt8]

  init(
    scheme: String, authority: String, host: String, pathPrefix: String, rules: RewriteRules = RewriteRules()
  ) {
    self.scheme = scheme
    self.authority = authority
    self.host = host
    self.pathPrefix = pathPrefix
    self.rules = rules
    extraFields = rules.fields.map { Array($0.lowercased().utf8) }
    bracketedHost = Array((host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host).utf8)
    let explicit = authority.utf8.dropFirst(bracketedHost.count + 1)
    port = explicit.isEmpty ? Self.defaultPort(scheme) : Array(explicit)
  }

  private static func defaultPort(_ scheme: String) -> [UInt8] {
    Array((scheme == "https" ? "443" : "80").utf8)
  }

  /// The port that the origin has without its being said; `nil` where it has another.
  var defaultPort: [UInt8]? {
    let port = Self.defaultPort(scheme)
    return port == self.port ? port : nil
  }

  /// The new reference; `nil` when it does not name the origin or lies outside the part of it that we serve.
  func rewrittenLocation(_ location: String, proxy: String) -> String? {
    let bytes = Array(location.utf8)
    if bytes.first == UInt8(ascii: "/"), !bytes.starts(with: "//".utf8) {
      guard !pathPrefix.isEmpty else { return nil }
      return withoutPrefix(bytes[...]).map { String(decoding: $0, as: UTF8.self) }
    }
    guard let (userInformation, rest) = split(bytes), let path = withoutPrefix(rest) else { return nil }
    let text = String(decoding: path, as: UTF8.self)
    // A client of HTTP/1.0 need not say where it thinks it is; a path leads back to us all the same.
    guard !proxy.isEmpty else { return text.hasPrefix("/") ? text : "/\(text)" }
    return "http://\(String(decoding: userInformation, as: UTF8.self))\(proxy)\(text)"
  }

  /// The user information, with its `@`, and what stands behind the authority; `nil` where that is another one.
  private func split(_ location: [UInt8]) -> (userInformation: ArraySlice<UInt8>, rest: ArraySlice<UInt8>)? {
    var rest = location[...]
    // `//authority` takes the scheme of the page it stands on, which for the origin was its own (RFC 3986 §4.2).
    let opening = rest.starts(with: "//".utf8) ? Array("//".utf8) : Array("\(scheme)://".utf8)
    guard rest.prefix(opening.count).map(ASCII.lowercased) == opening else { return nil }
    rest = rest.dropFirst(opening.count)
    let authority = rest.prefix { !"/?#".utf8.contains($0) }
    // As the URL Standard has it, the last `@` ends the user information.
    let start = authority.lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? authority.startIndex
    guard isOrigin(authority[start...]) else { return nil }
    return (authority[..<start], rest[authority.endIndex...])
  }

  /// Whether it is the origin's `host[:port]`, whatever the case and whether its default port is spelled out.
  func isOrigin(_ authority: some Collection<UInt8>) -> Bool {
    let name = authority.prefix(bracketedHost.count)
    guard name.map(ASCII.lowercased) == bracketedHost else { return false }
    let rest = authority.dropFirst(bracketedHost.count)
    guard let colon = rest.first else { return defaultPort != nil }
    guard colon == UInt8(ascii: ":") else { return false }
    // RFC 3986 §3.2.3: the port after the colon may be empty.
    let digits = rest.dropFirst()
    return digits.isEmpty ? defaultPort != nil : digits.elementsEqual(port)
  }

  /// A path as the client knows it; `nil` where it is outside the part of the origin that we serve.
  func withoutPrefix(_ path: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard !pathPrefix.isEmpty else { return path }
    guard path.starts(with: pathPrefix.utf8) else { return nil }
    let rest = path.dropFirst(pathPrefix.utf8.count)
    if rest.isEmpty { return [UInt8(ascii: "/")] }
    return "/?#".utf8.contains(rest.first ?? 0) ? rest : nil
  }

  static func text(_ bytes: some Sequence<UInt8>) -> String {
    var scalars = String.UnicodeScalarView()
    for byte in bytes { scalars.append(UnicodeScalar(byte)) }
    return String(scalars)
  }

  static func bytes(_ text: String) -> [UInt8] {
    text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
  }
}

extension OriginRewriter {
  /// The fields that are rewritten on the way to the origin.
  static let forwardedNames = ["origin", "referer", "destination"]

  /// The request as it goes to the origin: `Origin`, `Referer` and WebDAV's `Destination` that name us name the origin,
  /// which compares them with its own `Host` before it takes a form (CSRF) or copies a file (RFC 4918 §9.8.4).
  func forwarded(_ request: HTTPRequest) -> HTTPRequest {
    guard !request.authority.isEmpty else { return request }
    var result = request
    for index in request.fields.indices {
      guard let isWhole = Self.isWholeReference(at: index, of: request.fields),
        let value = named(request.fields.value(at: index), isWhole: isWhole, proxy: request.authority)
      else { continue }
      try? result.fields.replaceValue(at: index, with: value)
    }
    return result
  }

  /// Whether the field holds a reference with a path, or scheme and authority only; `nil` for other fields.
  private static func isWholeReference(at index: Int, of fields: HTTPFields) -> Bool? {
    switch fields.withName(at: index, \.count) {
    case 6: fields.isNamed("origin", at: index) ? false : nil
    case 7: fields.isNamed("referer", at: index) ? true : nil
    case 11: fields.isNamed("destination", at: index) ? true : nil
    default: nil
    }
  }

  /// The reference with the origin in the place of us; `nil` where it names somebody else.
  private func named(_ value: ArraySlice<UInt8>, isWhole: Bool, proxy: [UInt8]) -> [UInt8]? {
    let opening = Array("http://".utf8) + proxy
    guard value.prefix(opening.count).map(ASCII.lowercased) == opening.map(ASCII.lowercased)
    else { return nil }
    let rest = value.dropFirst(opening.count)
    guard rest.isEmpty || isWhole && "/?#".utf8.contains(rest.first ?? 0) else { return nil }
    return Array("\(scheme)://\(authority)\(isWhole ? pathPrefix : "")".utf8) + rest
  }
}
