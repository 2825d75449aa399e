public import TapedeckHTTP

/// How a server treats its clients. Times are in milliseconds.
public struct ServerConfiguration: Sendable {
  public var limits = HTTPLimits()
  /// A connection without a request. nginx waits 75 s, Apache 5 s.
  public var idleTimeoutMilliseconds = 60_000
  /// From the first byte of a head to its last, however slowly it drips. Apache's limit is 20–40 s.
  public var headTimeoutMilliseconds = 15_000
  /// Between two pieces of a request body.
  public var bodyTimeoutMilliseconds = 30_000
  /// A client that reads nothing of what is waiting for it.
  public var writeTimeoutMilliseconds = 60_000
  /// How long a closing connection goes on swallowing input, so that the last answer is not lost to a reset.
  public var lingerMilliseconds = 2_000
  /// A client that has finished sending, while a stream has nothing to say to it, counts as gone after this long.
  public var abandonedMilliseconds = 500
  /// Answer bytes waiting for a client above which its source is told to wait.
  public var outputHighWaterBytes = 64 * 1024
  /// What one client may be sent in a turn of the loop before the others have theirs.
  public var turnBytes = 256 * 1024
  /// Pipelined input kept while an answer is on its way; above it reading stops.
  public var pipelinedInputBytes = 64 * 1024

  public init() {}
}
