public import TapedeckHTTP

/// How a server treats its clients, and how much of it they may have. What one message may hold stands in
/// `HTTPLimits`. Times are in milliseconds.
public struct ServerConfiguration: Sendable {
  public var limits = HTTPLimits()
  /// Clients at once; more are told 503. nginx serves 512 a worker unless told otherwise, HAProxy derives its number
  /// from the descriptor limit, as happens here too: see `reservedDescriptors`.
  public var maxConnections = 16_384
  /// Clients being told 503 at once; more wait in the kernel's backlog.
  public var maxRefusedConnections = 64
  /// Request bodies in memory, of all clients together; whose body goes beyond it is told 503. At least two bodies of the
  /// largest size always fit. nginx and HAProxy have no such bound, since they hold no bodies whole.
  public var heldBodyBytes = 1 << 30
  /// Descriptors that clients may not take: cassette files, the loops' own, connections to the origin.
  public var reservedDescriptors = 64
  /// A connection without a request. nginx waits 75 s, Apache 5 s.
  public var idleTimeoutMilliseconds = 60_000
  /// From the first byte of a head to its last, however slowly it drips. Apache's limit is 20–40 s.
  public var headTimeoutMilliseconds = 15_000
  /// Between two pieces of a request body. nginx waits 60 s, Apache 20 s.
  public var bodyTimeoutMilliseconds = 30_000
  /// A body that comes slower than this over more than `bodyTimeoutMilliseconds` is dripped on purpose. Apache's
  /// mod_reqtimeout asks for 500 as well.
  public var bodyMinBytesPerSecond = 500
  /// A client that reads nothing of what is waiting for it. nginx waits 60 s.
  public var writeTimeoutMilliseconds = 60_000
  /// A closing connection swallows what its client still sends, so that the last response is not lost to a reset: until
  /// the client is silent for the first time, and no longer than the second. nginx: 5 s and 30 s.
  public var lingerMilliseconds = 2_000
  public var lingerTotalMilliseconds = 30_000
  /// A client that has finished sending, while a stream has nothing to say to it, counts as gone after this long.
  public var abandonedMilliseconds = 500
  /// Response bytes waiting for a client above which its source is told to wait.
  public var outputHighWaterBytes = 64 * 1024
  /// What one client may be sent in a turn of the loop before the others have theirs.
  public var turnBytes = 256 * 1024
  /// Pipelined input kept while a response is on its way; above it reading stops. This bounds the depth of a pipeline:
  /// what is beyond it waits in the kernel.
  public var pipelinedInputBytes = 64 * 1024

  /// Whether refusals name the options of the command that raise a limit.
  public var namesOptions = false

  public init() {}
}
