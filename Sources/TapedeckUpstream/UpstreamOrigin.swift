public import TapedeckHTTP
public import TapedeckSockets

/// An origin: scheme, host, port and an optional path prefix, as given with `--upstream`.
public struct UpstreamOrigin: Sendable, Hashable, CustomStringConvertible {
  public let scheme: HTTPScheme
  /// In lower case; an IPv6 address without its brackets.
  public let host: String
  public let port: UInt16
  /// Precedes every path: empty, or like `/v2`, without a final slash.
  public let pathPrefix: String
  /// `host[:port]`, without the scheme's default port (RFC 9110 §4.2.3).
  public let authority: String
  /// The unix socket on which the origin listens, as with `http+unix://%2Frun%2Fdocker.sock`.
  public let socketPath: String?

  /// Reads an `http`, `https` or `http+unix` URL without user information, query and fragment.
  public init(_ url: String) throws(UpstreamURLError) {
    var rest = Substring(url)
    socketPath = try Self.takeSocketPath(&rest)
    if socketPath != nil {
      (scheme, host, port, authority) = (.http, "localhost", HTTPScheme.http.defaultPort, "localhost")
      pathPrefix = try Self.prefix(rest)
      return
    }
    scheme = try Self.takeScheme(&rest, of: url)
    guard !rest.utf8.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else {
      throw .queryOrFragment
    }
    let authority = rest.prefix { $0 != "/" }
    // RFC 9110 §4.2.4: user information in an http URL is an error, and exposes a secret on the command line.
    guard !authority.contains("@") else { throw .userInformation }
    (host, port) = try Self.split(authority, default: scheme.defaultPort)
    pathPrefix = try Self.prefix(rest[authority.endIndex...])
    let bracketedHost = host.utf8.contains(ASCII.colon) ? "[\(host)]" : host
    self.authority = port == scheme.defaultPort ? bracketedHost : "\(bracketedHost):\(port)"
  }

  /// Scheme, host and port, without the path prefix.
  package var origin: HTTPOrigin? { HTTPOrigin(scheme, authority: Array(authority.utf8)) }

  /// One that listens on a unix socket.
  package init(socket path: String) {
    (scheme, host, port, authority) = (.http, "localhost", HTTPScheme.http.defaultPort, "localhost")
    (pathPrefix, socketPath) = ("", path)
  }

  /// An origin without a path prefix.
  package init(_ origin: HTTPOrigin) throws(UpstreamURLError) { try self.init(origin.description) }

  public var description: String {
    guard let socketPath else { return "\(scheme.rawValue)://\(authority)\(pathPrefix)" }
    let path = socketPath.utf8.flatMap {
      ASCII.isWord($0) || $0 == UInt8(ascii: ".") ? [$0] : PercentCoding.encoded($0)
    }
    return "\(Self.socketScheme)\(String(decoding: path, as: UTF8.self))\(pathPrefix)"
  }

  private static let socketScheme = "http+unix://"

  /// The socket's path is percent-encoded where a host would stand, or is all that follows three slashes.
  private static func takeSocketPath(_ rest: inout Substring) throws(UpstreamURLError) -> String? {
    guard rest.prefix(socketScheme.count).lowercased() == socketScheme else { return nil }
    let text = rest.dropFirst(socketScheme.count)
    let host = text.hasPrefix("/") ? text : text.prefix { $0 != "/" }
    rest = text[host.endIndex...]
    let path = PercentCoding.decode(Array(host.utf8)[...])
    guard path.first == UInt8(ascii: "/"), path.count <= SocketAddress.maximumPathBytes, !path.contains(0),
      !host.contains("?"), !host.contains("#")
    else { throw .badSocketPath(String(text)) }
    return String(decoding: path, as: UTF8.self)
  }

  /// Whether a connection to it reaches a listener of ours; looks names up.
  public func reaches(_ listening: SocketAddress) -> Bool {
    socketPath == nil && SocketAddress(host: host, port: port).reaches(listening: listening)
  }

  var overTLS: String { "https://\(authorityWithPort)\(pathPrefix)" }
  var withoutTLS: String { "http://\(authorityWithPort)\(pathPrefix)" }

  private var authorityWithPort: String {
    authority.hasSuffix(":\(port)") ? authority : "\(authority):\(port)"
  }

  private static func takeScheme(
    _ rest: inout Substring, of url: String
  ) throws(UpstreamURLError) -> HTTPScheme {
    for scheme in [HTTPScheme.http, .https] {
      let start = "\(scheme.rawValue)://"
      guard rest.count > start.count, rest.prefix(start.count).lowercased() == start else { continue }
      rest = rest.dropFirst(start.count)
      return scheme
    }
    let harmless = url.prefix { $0 != "?" && $0 != "#" }.split(separator: "@").last ?? ""
    throw .notHTTP(String(harmless))
  }

  private static func split(
    _ authority: Substring, default fallback: UInt16
  ) throws(UpstreamURLError) -> (String, UInt16) {
    let bytes = Array(authority.utf8)
    var end = bytes.firstIndex(of: ASCII.colon) ?? bytes.endIndex
    var host = bytes[..<end]
    var isHost = end > 0 && host.allSatisfy { ASCII.isWord($0) || $0 == UInt8(ascii: ".") }
    if bytes.first == UInt8(ascii: "["), let close = bytes.firstIndex(of: UInt8(ascii: "]")) {
      host = bytes[1..<close]
      isHost =
        close > 2 && host.contains(ASCII.colon)
        && host.allSatisfy { ASCII.hexValue($0) != nil || ":.".utf8.contains($0) }
      end = close + 1
    }
    guard isHost else { throw .badHost(String(authority)) }
    return (String(decoding: host, as: UTF8.self).lowercased(), try port(bytes[end...], default: fallback))
  }

  private static func port(
    _ text: ArraySlice<UInt8>, default fallback: UInt16
  ) throws(UpstreamURLError) -> UInt16 {
    guard let colon = text.first else { return fallback }
    guard colon == ASCII.colon else { throw .badHost(String(decoding: text, as: UTF8.self)) }
    let digits = text.dropFirst()
    // RFC 3986 §3.2.3: the port after the colon may be empty.
    if digits.isEmpty { return fallback }
    guard digits.count <= 5, digits.allSatisfy(ASCII.isDigit),
      let port = UInt16(exactly: digits.reduce(0) { $0 * 10 + Int($1 & 0x0F) }), port > 0
    else { throw .badPort(String(decoding: digits, as: UTF8.self)) }
    return port
  }

  private static func prefix(_ path: Substring) throws(UpstreamURLError) -> String {
    let isLegal = path.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"<>\\^`{}".utf8.contains($0) }
    guard isLegal else { throw .badPath(String(path)) }
    return String(path.reversed().drop { $0 == "/" }.reversed())
  }
}

/// Why an upstream URL was refused. The payload is the invalid part, never one that may contain a secret.
public enum UpstreamURLError: Error, Equatable, Sendable {
  case notHTTP(String)
  case userInformation
  case queryOrFragment
  case badHost(String)
  case badPort(String)
  case badPath(String)
  case keyWithoutCertificate
  case certificateForHTTP
  case certificateWithoutOrigin
  case badCertificateOrigin(String)
  case badField(String)
  case badFieldOrigin(String)
  case fieldWithoutOrigin(String)
  case badSocketPath(String)
  case socketAmongSeveral
  case samePattern(String, String)
  case badProxy
  case badResolve(String)
  case resolvesAnother(String, than: String)
}

extension UpstreamURLError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notHTTP(let url):
      "\(url.debugDescription) is not an http:// or https:// URL, like https://api.example.com"
    case .userInformation:
      "the upstream URL holds a user name or password; let the client send them as a header instead"
    case .queryOrFragment:
      "the upstream URL has a query or fragment; it may be scheme, host, port and path prefix only"
    case .badHost(let host): "\(host.debugDescription) is not a host name or address"
    case .badPort(let port): "\(port.debugDescription) is not a port between 1 and 65535"
    case .badPath(let path):
      "the path prefix \(path.debugDescription) holds a character that a URL cannot hold"
    case .keyWithoutCertificate: "--client-key needs --client-cert"
    case .certificateWithoutOrigin:
      "--client-cert goes to one origin; say which: --client-cert https://api.example.com=FILE"
    case .badCertificateOrigin(let url):
      "\(url.debugDescription) is not an origin like https://api.example.com, which --client-cert is for"
    case .certificateForHTTP: "--client-cert needs an https:// upstream; over http nobody would see it"
    case .badField(let name):
      "--upstream-header cannot send the field \(name.debugDescription); write it like 'Authorization: Bearer ${TOKEN}'"
    case .badFieldOrigin(let url):
      "\(url.debugDescription) is not an origin like https://api.example.com, which --upstream-header is for"
    case .fieldWithoutOrigin(let name):
      "--upstream-header \(name) goes to one origin; say which: 'https://api.example.com=\(name): …'"
    case .badSocketPath(let path):
      "\(path.debugDescription) is not the absolute path of a unix socket; write http+unix:///run/docker.sock, or http+unix://%2Frun%2Fdocker.sock/v1.43 with a path prefix"
    case .samePattern(let first, let second):
      "\(first.debugDescription) and \(second.debugDescription) are for the same requests; give each a /PREFIX= or HOST= of its own"
    case .socketAmongSeveral:
      "a unix socket can only be the one origin of a proxy: give it alone, without a pattern and --forward"
    case .badProxy:
      "--upstream-proxy takes env or a URL like http://127.0.0.1:3128 or socks5h://127.0.0.1:1080"
    case .badResolve(let entry):
      "--resolve takes HOST:PORT:ADDRESS, like example.com:443:127.0.0.1, not \(entry.debugDescription)"
    case .resolvesAnother(let entry, let origin):
      "--resolve \(entry) is not about the origin, which is \(origin)"
    }
  }
}
