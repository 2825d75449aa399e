/// What makes two requests the same: canonical bytes, compared as bytes and never as text, so that `é` written in two
/// ways stays two things.
public struct MatchKey: Sendable, Hashable {
  /// Length-prefixed components, in which nothing can run together.
  let bytes: [UInt8]

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// The SHA-256 of the key, from which file names are made.
  public var digest: SHA256Digest { SHA256Digest(of: bytes) }

  public static func == (left: MatchKey, right: MatchKey) -> Bool { left.bytes == right.bytes }

  public func hash(into hasher: inout Hasher) {
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}
