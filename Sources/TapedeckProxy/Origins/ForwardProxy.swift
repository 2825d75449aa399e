internal import TapedeckHTTP

/// How a proxy serves clients that name the origin themselves (RFC 9110 §3.7): which hosts, and to whom.
public struct ForwardProxy: Sendable, Equatable {
  /// The hosts whose traffic is read, recorded and replayed, as `api.example.com`, `*.example.com` or `host:8443`;
  /// every host where the list is empty. Traffic with others passes unread while the origin may be asked, and is
  /// refused offline.
  public var allowedHosts: [String] = []
  /// Hosts of `allowedHosts` whose traffic is not read after all.
  public var ignoredHosts: [String] = []
  /// `USER:PASSWORD`, by which clients must authenticate themselves (RFC 9110 §11.7).
  public var credentials: String?

  /// Origins to which traffic passes unread even offline, as `HOST:PORT`.
  package var sharedOrigins: [String] = []

  /// Creates one for every host and every client.
  public init() {}

  /// Throws what is wrong with it.
  /// - Parameter isLoopback: whether only this machine can reach the listener.
  func validate(isLoopback: Bool) throws(ProxyError) {
    for pattern in allowedHosts + ignoredHosts where HostPattern(pattern) == nil {
      throw .badHostPattern(pattern)
    }
    if let credentials, !credentials.contains(":") || credentials.hasPrefix(":") { throw .badCredentials }
    guard isLoopback || (!allowedHosts.isEmpty && credentials != nil) else { throw .openForwardProxy }
  }
}
