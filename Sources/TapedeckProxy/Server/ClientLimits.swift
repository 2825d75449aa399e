internal import TapedeckHTTP
internal import TapedeckServer
internal import TapedeckSockets

/// How much clients may take, and how long. Where the numbers come from stands in `ServerConfiguration`.
public struct ClientLimits: Sendable {
  /// Connections at once; fewer when the process may not open as many files. More are told 503.
  public var maxConnections = ServerConfiguration().maxConnections
  /// Request bodies above this many bytes are refused with 413. Those that anyone but the origin may need are held
  /// whole before they are served.
  public var maxRequestBodyBytes = HTTPLimits().bodyBytes
  /// For a request's head as a whole.
  public var headTimeoutMilliseconds = ServerConfiguration().headTimeoutMilliseconds
  /// Between two pieces of a request's body.
  public var bodyTimeoutMilliseconds = ServerConfiguration().bodyTimeoutMilliseconds
  /// For a connection without a request.
  public var idleTimeoutMilliseconds = ServerConfiguration().idleTimeoutMilliseconds
  /// For a client that reads nothing of its response.
  public var writeTimeoutMilliseconds = ServerConfiguration().writeTimeoutMilliseconds

  public init() {}
}

extension ServerConfiguration {
  /// A larger body is passed on while it comes, where nothing needs it whole: nginx's `client_max_body_size`, and what
  /// the recorder holds of a body.
  private static let heldUploadBytes = 1 << 20

  /// - Parameter upstreamConnections: how many descriptors the origin's side may need.
  init(_ limits: ClientLimits, upstreamConnections: Int) {
    self.init()
    maxConnections = limits.maxConnections
    self.limits.bodyBytes = limits.maxRequestBodyBytes
    self.limits.heldBodyBytes = Self.heldUploadBytes
    headTimeoutMilliseconds = limits.headTimeoutMilliseconds
    bodyTimeoutMilliseconds = limits.bodyTimeoutMilliseconds
    idleTimeoutMilliseconds = limits.idleTimeoutMilliseconds
    writeTimeoutMilliseconds = limits.writeTimeoutMilliseconds
    // Where descriptors are few, clients and origin get half each.
    reservedDescriptors += min(upstreamConnections, (Machine.descriptorLimit - reservedDescriptors) / 2)
  }
}
