public import TapedeckHTTP
package import TapedeckSockets

/// How a server treats its clients; `HTTPLimits` bounds a single message.
public struct ServerConfiguration: Sendable {
  public var limits = HTTPLimits()
  /// Above this number clients get a 503. nginx's default is 512 per worker; HAProxy, like us, derives it
  /// from the descriptor limit: see `reservedDescriptors`.
  public var maxConnections = 16_384
  /// Clients being refused with a 503; more wait in the kernel's backlog.
  public var maxRefusedConnections = 64
  /// Request bodies in memory, of all clients together; beyond it clients get a 503. Two bodies of the
  /// largest size always fit. nginx and HAProxy have no such bound, because they hold no whole bodies.
  public var heldBodyBytes = 1 << 30
  /// Descriptors reserved for cassette files, event loops and connections to the origin.
  public var reservedDescriptors = 64
  /// For a connection without a request. nginx waits 75 s, Apache 5 s.
  public var idleTimeoutMilliseconds = 60_000
  /// From the first to the last byte of a head. Apache's limit is 20–40 s.
  public var headTimeoutMilliseconds = 15_000
  /// From the first byte of a TLS handshake to its end. nginx waits 60 s, HAProxy 10 s in its examples.
  public var handshakeTimeoutMilliseconds = 10_000
  /// TLS handshakes at a time, of all loops; further ones are refused by closing.
  public var maxHandshakes = 1_024
  /// Between two pieces of a request body. nginx waits 60 s, Apache 20 s.
  public var bodyTimeoutMilliseconds = 30_000
  /// The minimum speed of a body that takes longer than `bodyTimeoutMilliseconds`. Apache uses 500 too.
  public var bodyMinBytesPerSecond = 500
  /// For a client that does not read its response. nginx waits 60 s.
  public var writeTimeoutMilliseconds = 60_000
  /// A closing connection discards input, so that a reset does not destroy the last response: until the
  /// client is silent for the first time, but at most for the second. nginx: 5 s and 30 s.
  public var lingerMilliseconds = 2_000
  public var lingerTotalMilliseconds = 30_000
  /// How long a client may be half-closed, while a stream is silent, before it counts as gone.
  public var abandonedMilliseconds = 500
  /// Response bytes waiting for a client above which the source must pause.
  public var outputHighWaterBytes = 64 * 1024
  /// Bytes sent to one client per turn of the loop before the others are served.
  public var turnBytes = 256 * 1024
  /// Pipelined input kept during a response. Above it reading stops, and the rest waits in the kernel.
  public var pipelinedInputBytes = 64 * 1024

  /// Serves clients that begin with a TLS handshake; others are served in plain HTTP on the same port.
  package var tls: TLSServer?

  /// Whether refusals name the options of the command that raise a limit.
  public var namesOptions = false

  public init() {}
}
