public import TapedeckHTTP

/// The origin, and how requests are sent to it.
public struct UpstreamConfiguration: Sendable {
  /// Timeouts towards the origin.
  public struct Timeouts: Sendable {
    /// Name lookup, TCP and TLS together.
    public var connectMilliseconds = 10_000
    /// From the end of the request to the end of the response's head; an interim response restarts it.
    public var firstByteMilliseconds = 60_000
    /// Between two pieces of a body, except of `text/event-stream`, which may be silent.
    public var readIdleMilliseconds = 60_000
    /// How long idle connections are kept.
    public var keepAliveMilliseconds = 30_000
    /// How long a connection may have been idle before a request that is not sent twice. No known server closes one this
    /// soon: gunicorn's default is 2 s, Node's and Apache's 5 s.
    var reuseMilliseconds = 1_000

    public init() {}
  }

  public var origin: UpstreamOrigin
  /// PEM file of certificate authorities to trust instead of the system's.
  public var caCertificatePath: String?
  public var verifiesTLS = true
  /// PEM file of the certificate by which the origin knows us, and its chain.
  public var clientCertificatePath: String?
  /// PEM file of its private key; `nil` when the key is in the same file.
  public var clientKeyPath: String?
  /// Forwards the client's `Host` instead of the origin's.
  public var preservesHost = false
  /// Forwards the client's `Accept-Encoding` instead of `identity`.
  public var passesEncodings = false
  /// Fields that replace those of the client on the way to the origin, and are never recorded.
  public var fields = HTTPFields()
  public var route = UpstreamRoute()
  /// Addresses that are not connected to, whatever name leads there.
  package var prohibited = ProhibitedAddresses()
  public var timeouts = Timeouts()
  /// Exchanges that run at once on one loop; more wait in line.
  public var maxConnectionsPerLoop = 512
  public var limits = HTTPLimits.response
  /// Called on the loop's thread for every socket opened to the origin.
  public var onConnectionOpened: @Sendable () -> Void = {}
  /// Called on the loop's thread for every response with a corrected fault.
  public var onToleratedFault: @Sendable (ToleratedFault) -> Void = { _ in }

  public init(origin: UpstreamOrigin) { self.origin = origin }
}

/// A common and unambiguous fault in the framing of a response, corrected before the client gets it.
public enum ToleratedFault: String, CustomStringConvertible, Sendable {
  case blankAfterChunkSize = "a blank after a chunk size (RFC 9112 §7.1)"
  case chunkedInHTTP10 = "Transfer-Encoding in an HTTP/1.0 response (RFC 9112 §6.1)"
  case repeatedContentLength = "Content-Length more than once, with equal values (RFC 9110 §8.6)"

  public var description: String { rawValue }
}
