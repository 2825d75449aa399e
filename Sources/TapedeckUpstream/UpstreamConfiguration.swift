public import TapedeckHTTP

/// How the origin is asked.
public struct UpstreamConfiguration: Sendable {
  /// How long the origin may keep us waiting, in milliseconds.
  public struct Timeouts: Sendable {
    /// Name lookup, TCP and TLS together.
    public var connectMilliseconds = 10_000
    /// From the request's departure to the end of the answer's head; an interim answer starts it again.
    public var firstByteMilliseconds = 60_000
    /// Between two pieces of a body; not for `text/event-stream`, which may rest as long as it likes.
    public var readIdleMilliseconds = 60_000

    /// How long connections are kept after the last exchange.
    public var keepAliveMilliseconds = 30_000

    public init() {}
  }

  public var origin: UpstreamOrigin
  /// PEM file of certificate authorities to trust instead of the system's.
  public var caCertificatePath: String?
  public var verifiesTLS = true
  /// Sends the client's `Host` on instead of the origin's.
  public var preservesHost = false
  /// Sends the client's `Accept-Encoding` on instead of `identity`.
  public var passesEncodings = false
  /// Lets libcurl read `http_proxy` and its kin.
  public var usesEnvironmentProxy = false
  public var timeouts = Timeouts()
  /// Exchanges running at once on one loop; more wait for their turn.
  public var maxConnectionsPerLoop = 512
  public var limits = HTTPLimits.response
  /// Called, on the loop's thread, for every socket that is opened towards the origin.
  public var onConnectionOpened: @Sendable () -> Void = {}
  /// Called, on the loop's thread, for every response with a fault that was put right.
  public var onToleratedFault: @Sendable (ToleratedFault) -> Void = { _ in }

  public init(origin: UpstreamOrigin) { self.origin = origin }
}
