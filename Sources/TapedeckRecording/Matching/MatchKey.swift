public import TapedeckRedaction

/// What makes two requests the same: canonical bytes, compared as bytes and never as text, so that `é` written in two
/// ways stays two things.
public struct MatchKey: Sendable, Hashable {
  /// Length-prefixed components, in which nothing can run together; those of the variant stand at the end.
  let bytes: [UInt8]
  /// How many of the bytes are the key of the plain variant.
  private let plainCount: Int

  init(bytes: [UInt8]) { (self.bytes, plainCount) = (bytes, bytes.count) }

  init(_ writer: KeyWriter) { (bytes, plainCount) = (writer.bytes, writer.plainCount) }

  /// The key of the same request without a range and conditions.
  var plain: MatchKey { isPlain ? self : MatchKey(bytes: Array(bytes[..<plainCount])) }

  var isPlain: Bool { plainCount == bytes.count }

  /// The SHA-256 of the key, from which file names are made.
  public var digest: SHA256Digest { SHA256Digest(of: bytes) }

  public static func == (left: MatchKey, right: MatchKey) -> Bool { left.bytes == right.bytes }

  public func hash(into hasher: inout Hasher) {
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}
