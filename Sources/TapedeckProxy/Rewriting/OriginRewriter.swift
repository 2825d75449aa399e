internal import TapedeckHTTP
internal import TapedeckRecording

/// Turns what names the origin into what names us, on the way out to the client; the cassette keeps the origin's own
/// form.
///
/// A reference that leads to the origin leads to the address the client used; user information in it stays. What is a
/// reference depends on the field (`OriginRewriter+Fields`). Cookies have rules of their own
/// (`OriginRewriter+Cookies`). Values are read as Latin-1, so that any byte survives the way through text.
///
/// A class, because each exchange holds it, and its thirteen parts would be counted one by one.
final class OriginRewriter: Sendable {
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
  /// By which the client reached us.
  let clientScheme: HTTPScheme
  /// Where clients find it, if it is one of several.
  let place: ClientPlace
  /// The others of several, to which its responses may lead too.
  let others: [OriginRewriter]
  private let bracketedHost: [UInt8]
  private let port: [UInt8]

  init(
    scheme: String, authority: String, host: String, pathPrefix: String, rules: RewriteRules = RewriteRules(),
    clientScheme: HTTPScheme = .http, place: ClientPlace = ClientPlace(), others: [OriginRewriter] = []
  ) {
    self.scheme = scheme
    self.authority = authority
    self.host = host
    self.pathPrefix = pathPrefix
    self.rules = rules
    self.clientScheme = clientScheme
    self.place = place
    self.others = others
    extraFields = rules.fields.map { Array($0.lowercased().utf8) }
    bracketedHost = Array((host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host).utf8)
    let explicit = authority.utf8.dropFirst(bracketedHost.count + 1)
    port = explicit.isEmpty ? Self.defaultPort(scheme) : Array(explicit)
  }

  private init(_ other: OriginRewriter, clientScheme: HTTPScheme, others: [OriginRewriter]) {
    (scheme, authority, host, pathPrefix) = (other.scheme, other.authority, other.host, other.pathPrefix)
    (rules, extraFields, place) = (other.rules, other.extraFields, other.place)
    (bracketedHost, port) = (other.bracketedHost, other.port)
    self.clientScheme = clientScheme
    self.others = others
  }

  /// The rewriter for a client that reached us by this scheme.
  func serving(_ scheme: HTTPScheme) -> OriginRewriter {
    guard scheme != clientScheme else { return self }
    return OriginRewriter(self, clientScheme: scheme, others: others.map { $0.serving(scheme) })
  }

  /// One for each origin of several, as its responses are rewritten.
  static func forSeveral(_ rewriters: [OriginRewriter]) -> [OriginRewriter] {
    rewriters.indices.map { index in
      OriginRewriter(
        rewriters[index], clientScheme: rewriters[index].clientScheme,
        others: rewriters.enumerated().filter { $0.offset != index }.map(\.element)
          .sorted { $0.pathPrefix.utf8.count > $1.pathPrefix.utf8.count })
    }
  }

  /// Whether all requests are for it.
  var isOnly: Bool { others.isEmpty && place.prefix.isEmpty && place.host == .every }

  /// The same for a client that names origins, which knows all of their paths.
  var named: OriginRewriter {
    OriginRewriter(
      scheme: scheme, authority: authority, host: host, pathPrefix: "", rules: rules,
      clientScheme: clientScheme,
      place: ClientPlace(host: .exactly(authority)), others: others.map(\.named))
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
    let hasScheme = !bytes.starts(with: "//".utf8)
    if bytes.first == UInt8(ascii: "/"), hasScheme {
      guard !pathPrefix.isEmpty || !place.prefix.isEmpty else { return nil }
      if let path = withoutPrefix(bytes[...]) { return place.prefix + String(decoding: path, as: UTF8.self) }
      // Another part of the origin may be served too.
      return others.isEmpty ? nil : rewrittenLocation("\(scheme)://\(authority)\(location)", proxy: proxy)
    }
    if let own = rewrittenAddress(bytes, proxy: proxy) { return own }
    for other in others where hasScheme || other.scheme == scheme {
      if let rewritten = other.rewrittenAddress(bytes, proxy: proxy) { return rewritten }
    }
    return nil
  }

  /// The scheme and authority by which the client knows those of an origin's page.
  func rewrittenPage(_ page: String, proxy: String) -> String? {
    for origin in [self] + others {
      guard let rest = origin.split(Array(page.utf8))?.rest, rest.isEmpty,
        let authority = origin.place.authority(proxy), !authority.isEmpty
      else { continue }
      return "\(clientScheme.rawValue)://\(authority)"
    }
    return nil
  }

  private func rewrittenAddress(_ location: [UInt8], proxy: String) -> String? {
    guard let (userInformation, rest) = split(location), let path = withoutPrefix(rest),
      let authority = place.authority(proxy)
    else { return nil }
    let text = place.prefix + String(decoding: path, as: UTF8.self)
    // A client of HTTP/1.0 need not say where it thinks it is; a path leads back to us all the same.
    guard !authority.isEmpty else { return text.hasPrefix("/") ? text : "/\(text)" }
    let user = String(decoding: userInformation, as: UTF8.self)
    return "\(clientScheme.rawValue)://\(user)\(authority)\(text)"
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

  /// Whether a request of several origins is for it.
  func isOrigin(of request: HTTPRequest) -> Bool {
    request.origin.map { $0.scheme.rawValue == scheme && $0.authority == authority } ?? false
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
