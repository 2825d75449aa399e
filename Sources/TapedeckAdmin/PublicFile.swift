internal import TapedeckHTTP
internal import TapedeckProxy

/// What is served without the token.
enum PublicFile: String {
  /// Whether the proxy is up, for probes of containers and load balancers.
  case health = "/__tapedeck/health"
  /// The certificate that clients of intercepted HTTPS have to trust.
  case authority = "/ca.pem"
  /// Proxy auto-configuration for browsers.
  case configuration = "/proxy.pac"

  /// `nil` for any other request.
  init?(_ request: HTTPRequest) {
    guard request.method == .get || request.method == .head else { return nil }
    self.init(rawValue: String(decoding: request.path, as: UTF8.self))
  }

  func response(of proxy: ProxyServer) throws(AdminProblem) -> HTTPResponse {
    switch self {
    case .health: return Self.health(of: proxy)
    case .authority:
      let certificate = try certificate(of: proxy)
      return HTTPResponse(
        status: 200, contentType: "application/x-pem-file", body: Array(certificate.utf8))
    case .configuration:
      _ = try certificate(of: proxy)
      return HTTPResponse(
        status: 200, contentType: "application/x-ns-proxy-autoconfig",
        body: Array(Self.script(proxy.baseURL).utf8))
    }
  }

  private func certificate(of proxy: ProxyServer) throws(AdminProblem) -> String {
    guard let certificate = proxy.authorityCertificate else {
      throw AdminProblem(404, "only a forward proxy has \(rawValue); start it with --forward")
    }
    return certificate
  }

  private static func health(of proxy: ProxyServer) -> HTTPResponse {
    .json([
      "status": "ok", "mode": JSONValue(proxy.mode.rawValue),
      "cassette": proxy.cassetteName(of: proxy.sessions.standard).map { JSONValue($0) } ?? .null,
    ])
  }

  /// Servers of this machine are asked directly, as by the variables that `run` sets.
  private static func script(_ baseURL: String) -> String {
    """
    function FindProxyForURL(url, host) {
      if (host === "localhost" || host === "[::1]" || host === "::1" || shExpMatch(host, "127.*")) return "DIRECT";
      return "PROXY \(baseURL.split(separator: "/").last ?? "")";
    }

    """
  }
}
