public import TapedeckHTTP
import TapedeckRedaction

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

extension RecordedBody {
  /// What is in a body that is held in memory and in gzip or deflate, and the name of that coding; nil when it is in no
  /// coding, or in one that is not opened here.
  /// - Parameter fields: of its message, which name the coding.
  public func opened(_ fields: HTTPFields) -> (content: [UInt8], coding: String)? {
    guard case .bytes(let bytes) = self, !bytes.isEmpty else { return nil }
    let coding = BodyCoding(fields)
    guard coding != .identity, let content = coding.decoded(bytes[...]) else { return nil }
    return (content, coding.name)
  }

  /// The body as it is compared and looked at: without its coding, where that can be opened.
  package func content(_ fields: HTTPFields) -> RecordedBody {
    opened(fields).map { .bytes($0.content) } ?? self
  }
}
