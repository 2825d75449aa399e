/// How much a peer may send before it is refused, with the precedent of each limit.
public struct HTTPLimits: Sendable {
  /// Whole head. Node and HAProxy allow 16 KiB; curl's limit for responses is 300 KiB.
  public var headBytes = 64 * 1024
  /// Field lines per request. HAProxy and Apache allow about 100.
  public var fieldCount = 100
  /// Request target. RFC 9112 §3 wants at least 8,000; nginx allows 8 KiB, Apache 8,190.
  public var targetBytes = 16 * 1024 - 1
  /// Request method; the longest registered name has 17.
  public var methodBytes = 32
  /// Request body, held in memory until the response is complete. nginx's default is 1 MiB.
  public var bodyBytes = 128 * 1024 * 1024
  /// A request whose `Content-Length` is larger is an upload: its head is an event of its own, so that the body can be
  /// passed on while it comes.
  package var heldBodyBytes = Int.max
  /// Empty lines tolerated before a request line (RFC 9112 §2.2 asks for at least one).
  public var leadingEmptyLines = 4
  /// A chunk-size line; below, all chunk extensions of a message (RFC 9112 §7.1.1 wants a limit).
  public var chunkLineBytes = 4 * 1024
  public var chunkExtensionBytes = 16 * 1024
  /// Whether CONNECT is a request like others, as to a forward proxy; it is refused otherwise.
  package var allowsConnect = false

  public init() {}

  /// For responses of origins: more fields, and no limit on the body, which is streamed.
  public static var response: HTTPLimits {
    var limits = HTTPLimits()
    limits.fieldCount = 256
    limits.headBytes = 256 * 1024
    limits.bodyBytes = .max
    return limits
  }
}
