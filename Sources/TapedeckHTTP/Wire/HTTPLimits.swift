/// How much a peer may send before it is refused. Every bound stands here, with whose precedent it follows.
public struct HTTPLimits: Sendable {
  /// Whole head, start line included. Node allows 16 KiB, HAProxy 16 KiB, curl's own response cap is 300 KiB.
  public var headBytes = 64 * 1024
  /// Field lines of one request. HAProxy and Apache allow about 100.
  public var fieldCount = 100
  /// Request target. RFC 9112 §3 wants 8,000 at the least; nginx stops at 8 KiB, Apache at 8,190.
  public var targetBytes = 16 * 1024 - 1
  /// Request method; registered names end at 17.
  public var methodBytes = 32
  /// Request body, held in memory until it is answered. nginx refuses more than 1 MiB unless told otherwise.
  public var bodyBytes = 128 * 1024 * 1024
  /// Empty lines tolerated before a request line (RFC 9112 §2.2 asks for one at least).
  public var leadingEmptyLines = 4
  /// One chunk-size line with its extensions, and all extensions of a message (RFC 9112 §7.1.1 wants a limit).
  public var chunkLineBytes = 4 * 1024
  public var chunkExtensionBytes = 16 * 1024

  public init() {}

  /// Responses of origins: more fields than a client sends, and no bound on the body, which streams.
  public static var response: HTTPLimits {
    var limits = HTTPLimits()
    limits.fieldCount = 256
    limits.headBytes = 256 * 1024
    limits.bodyBytes = .max
    return limits
  }
}
