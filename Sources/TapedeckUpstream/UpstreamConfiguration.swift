public import TapedeckHTTP

/// Which origin is asked, and how.
public struct UpstreamConfiguration: Sendable {
  /// How long to wait for the origin, in milliseconds.
  public struct Timeouts: Sendable {
    /// Name lookup, TCP and TLS together.
    public var connectMilliseconds = 10_000
    /// From the moment the request is sent to the end of the response's head; an interim response starts it again.
    public var firstByteMilliseconds = 60_000
    /// Between two pieces of a body; not for `text/event-stream`, which may be silent.
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
  /// How many exchanges run at once on one loop; more wait in line.
  public var maxConnectionsPerLoop = 512
  public var limits = HTTPLimits.response
  /// Called on the loop's thread for every socket that is opened to the origin.
  public var onConnectionOpened: @Sendable () -> Void = {}
  /// Called on the loop's thread for every response with a fault that was corrected.
  public var onToleratedFault: @Sendable (ToleratedFault) -> Void = { _ in }

  public init(origin: UpstreamOrigin) { self.origin = origin }
}

/// A fault in the framing of a response that is common among origins, has one meaning only, and is corrected before the
/// client gets the response. In requests none is tolerated.
public enum ToleratedFault: Hashable, Sendable {
  case blankAfterChunkSize
  case chunkedInHTTP10
  case repeatedContentLength
}

extension ToleratedFault: CustomStringConvertible {
  public var description: String {
    switch self {
    case .blankAfterChunkSize: "a blank after a chunk size (RFC 9112 §7.1)"
    case .chunkedInHTTP10: "Transfer-Encoding in an HTTP/1.0 response (RFC 9112 §6.1)"
    case .repeatedContentLength: "Content-Length more than once, with equal values (RFC 9110 §8.6)"
    }
  }
}
