internal import TapedeckHTTP

/// What a forward proxy does with a request that names its origin, before any link of the chain: a pure decision.
struct ForwardPolicy: Sendable {
  private let hosts: HostRules
  private let sharedOrigins: Set<String>
  /// `USER:PASSWORD`.
  private let credentials: [UInt8]?
  /// Whether the user names a session, so that any user is accepted with the password.
  private let acceptsAnyUser: Bool

  init(_ forward: ForwardProxy, isLoopback: Bool, acceptsAnyUser: Bool) {
    hosts = HostRules(forward, isLoopback: isLoopback)
    sharedOrigins = Set(forward.sharedOrigins)
    credentials = forward.credentials.map { Array($0.utf8) }
    self.acceptsAnyUser = acceptsAnyUser
  }

  /// The response to a client that is not authenticated, or that asks for a host that is never served; `nil` for any
  /// other request.
  func refusal(of request: HTTPRequest) -> HTTPResponse? {
    if !isAuthenticated(request) { return Self.authenticationRequired }
    guard let origin = request.origin else {
      return .problem(400, "the request names no host")
    }
    guard case .prohibited(let reason) = verdict(on: origin) else { return nil }
    return .problem(403, reason)
  }

  func verdict(on origin: HTTPOrigin) -> HostRules.Verdict { hosts.verdict(on: origin) }

  /// Whether traffic with it passes unread, also offline.
  func shares(_ origin: HTTPOrigin) -> Bool { sharedOrigins.contains("\(origin.host):\(origin.port)") }

  /// Whether the origin may lead to any address, since it was allowed by its name.
  func isAllowedByName(_ origin: HTTPOrigin) -> Bool { hosts.isAllowedByName(origin) }

  /// RFC 9110 §11.7.1.
  private static var authenticationRequired: HTTPResponse {
    var response = HTTPResponse.problem(
      407, "this proxy asks for a user and a password: http://USER:PASSWORD@HOST:PORT as the proxy's URL")
    response.head.fields.append(literal: "Proxy-Authenticate", "Basic realm=\"tapedeck\", charset=\"UTF-8\"")
    return response
  }

  private func isAuthenticated(_ request: HTTPRequest) -> Bool {
    guard let credentials else { return true }
    guard let value = request.fields.text("proxy-authorization"), value.lowercased().hasPrefix("basic "),
      let given = Base64.decode(Array(value.dropFirst(6).drop { $0 == " " }.utf8))
    else { return false }
    guard acceptsAnyUser else { return Self.areEqual(given, credentials) }
    return Self.areEqual(Self.password(given), Self.password(credentials))
  }

  private static func password(_ credentials: [UInt8]) -> [UInt8] {
    Array(credentials.drop { $0 != ASCII.colon })
  }

  /// Takes the same time wherever the first difference is.
  private static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
