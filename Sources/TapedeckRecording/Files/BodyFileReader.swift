import TapedeckRedaction

/// An open body file, read in pieces. Any thread may read at any time.
public final class BodyFileReader: Sendable {
  public let name: String
  /// In bytes.
  public let size: Int
  private let file: OpenFile

  package init(_ file: OpenFile, name: String, size: Int) {
    self.file = file
    self.name = name
    self.size = size
  }

  /// Reads from `offset` as much as fits into `buffer`; 0 at the end.
  public func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(CassetteError) -> Int {
    try file.read(at: offset, into: buffer)
  }

  /// At most `count` bytes from `offset` on; fewer at the end.
  public func bytes(at offset: Int, count: Int) throws(CassetteError) -> [UInt8] {
    try file.bytes(at: offset, count: max(0, min(count, size - offset)))
  }

  /// The digest of the content as it is now.
  func digest() throws(CassetteError) -> SHA256Digest {
    let stream = SHA256Stream()
    let pieceBytes = 256 * 1024
    var offset = 0
    while true {
      let piece = try file.bytes(at: offset, count: pieceBytes)
      guard !piece.isEmpty else { return stream.finish() }
      piece.withUnsafeBytes(stream.update)
      offset += piece.count
    }
  }
}
