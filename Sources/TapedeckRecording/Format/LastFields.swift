import Glibc
import TapedeckHTTP

/// The fields of the request that was read last, by how they are written: most requests of a session have the same
/// ones, which are then read once and held once. One thread uses it.
final class LastFields {
  private var written: [UInt8] = []
  private(set) var fields = HTTPFields()
  /// What `Host` says among them.
  private(set) var host: [UInt8] = []

  /// How many bytes these fields take at `index`; 0 where others stand there.
  func count(in bytes: UnsafeRawBufferPointer, at index: Int) -> Int {
    guard !written.isEmpty, bytes.count - index >= written.count, let start = bytes.baseAddress,
      memcmp(start + index, written, written.count) == 0
    else { return 0 }
    return written.count
  }

  /// - Parameter written: to the end of the list, and so to where no others could begin in the same way.
  func set(_ fields: HTTPFields, written: UnsafeRawBufferPointer) {
    self.written = Array(written)
    self.fields = fields
    host = fields.first("host").map { Array($0) } ?? []
  }
}
