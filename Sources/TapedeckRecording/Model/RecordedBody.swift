/// A body as it was received, byte for byte.
public enum RecordedBody: Sendable, Equatable {
  /// Held in memory.
  case bytes([UInt8])
  /// Too large to be held in memory.
  case file(BodyFile)

  /// How many bytes it has.
  public var count: Int {
    switch self {
    case .bytes(let bytes): bytes.count
    case .file(let file): file.size
    }
  }

  /// How many of them are in memory.
  package var heldCount: Int {
    guard case .bytes(let bytes) = self else { return 0 }
    return bytes.count
  }
}
