/// A whole request, as the client sent it. Responders see it only when it is complete and well formed.
public struct HTTPRequest: Sendable, Equatable {
  /// The method.
  public var method: HTTPMethod
  /// The target in origin form (`/path?query`) or `*`, as received (RFC 9112 §3.2).
  public var target: [UInt8]
  /// The protocol version.
  public var version: HTTPVersion
  /// The header section.
  public var fields: HTTPFields
  /// The body, without transfer coding.
  public var body: [UInt8]
  /// The trailer section.
  public var trailers: HTTPFields
  /// The authority of an absolute-form target, else `Host` (RFC 9112 §3.2.2).
  public var authority: [UInt8]
  /// Whether the connection may carry another request after this one (RFC 9112 §9.3).
  public var keepsAlive: Bool
  /// The scheme of the origin: of an absolute-form target, or `https` inside an intercepted TLS tunnel.
  public var scheme = HTTPScheme.http
  /// Whether the client named the origin, which is `scheme` and `authority`, as clients of a forward proxy do: by an
  /// absolute-form target (RFC 9112 §3.2.2) or by CONNECT (§3.2.3).
  public var namesOrigin = false
  /// Whether `Connection` lists `Upgrade` (RFC 9110 §7.8).
  public var asksForUpgrade = false
  /// The size of a body that is passed on while it comes, and is not in `body`; `nil` for every other request.
  package var uploadBytes: Int?
  /// Whether its client waits for the 100 of whoever takes the upload. That of HTTP/1.0 does not (RFC 9110 §10.1.1).
  package var awaitsContinue: Bool { uploadBytes != nil && version == .http11 && fields.contains("expect") }

  /// Creates a request.
  public init(
    method: HTTPMethod, target: [UInt8], version: HTTPVersion = .http11, fields: HTTPFields = HTTPFields(),
    body: [UInt8] = [], trailers: HTTPFields = HTTPFields(), authority: [UInt8] = [], keepsAlive: Bool = true
  ) {
    self.method = method
    self.target = target
    self.version = version
    self.fields = fields
    self.body = body
    self.trailers = trailers
    self.authority = authority
    self.keepsAlive = keepsAlive
  }

  /// Creates a request from text, for tests and in-process callers.
  public init(_ method: HTTPMethod, _ target: String, fields: HTTPFields = HTTPFields(), body: [UInt8] = []) {
    self.init(method: method, target: Array(target.utf8), fields: fields, body: body)
  }

  /// The target up to the first `?`.
  public var path: ArraySlice<UInt8> {
    target[..<(target.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex)]
  }

  /// The target after the first `?`, if any.
  public var query: ArraySlice<UInt8>? {
    guard let mark = target.firstIndex(of: UInt8(ascii: "?")) else { return nil }
    return target[(mark + 1)...]
  }

  /// The target as text, with percent-encoded bytes where it is not UTF-8.
  public var targetText: String { RequestTarget.text(target) }
}

/// The supported versions.
public enum HTTPVersion: String, Sendable {
  /// HTTP/1.0.
  case http10 = "HTTP/1.0"
  /// HTTP/1.1.
  case http11 = "HTTP/1.1"
}
