/// Buffers that the TLS sessions of one loop share, so that an idle connection holds none.
package final class TLSBuffers {
  /// The largest number of bytes encrypted at a time.
  static let chunkBytes = 64 * 1024
  /// Plaintext that comes of one read: less than a whole record may have waited for its end (RFC 8446 §5.2).
  package static let plaintextBytes = inputBytes + 17 * 1024
  private static let inputBytes = 32 * 1024

  let input = UnsafeMutableRawBufferPointer.allocate(byteCount: inputBytes, alignment: 16)
  let output = UnsafeMutableRawBufferPointer.allocate(byteCount: chunkBytes + 4 * 1024, alignment: 16)
  var outputCount = 0

  package init() {}

  deinit {
    input.deallocate()
    output.deallocate()
  }

  /// What a session has encrypted and not sent yet. A session leaves nothing here when it returns.
  var unsent: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: output[..<outputCount]) }

  /// Returns false when there is no room.
  func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count <= output.count - outputCount else { return false }
    UnsafeMutableRawBufferPointer(rebasing: output[outputCount...]).copyMemory(from: bytes)
    outputCount += bytes.count
    return true
  }
}
