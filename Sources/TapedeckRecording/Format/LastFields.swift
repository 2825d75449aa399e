import TapedeckHTTP

/// Caches the fields of the last request, because most requests of a session have the same ones.
final class LastFields {
  private var written: [UInt8] = []
  private(set) var fields = HTTPFields()
  private(set) var host: [UInt8] = []

  /// The number of bytes these fields take at `index`; 0 for other fields.
  func count(in bytes: UnsafeRawBufferPointer, at index: Int) -> Int {
    !written.isEmpty && written.withUnsafeBytes { bytes.holds($0, at: index) } ? written.count : 0
  }

  /// - Parameter written: the whole list with its end, so that no other list begins with these bytes.
  func set(_ fields: HTTPFields, written: UnsafeRawBufferPointer) {
    self.written = Array(written)
    self.fields = fields
    host = fields.first("host").map { Array($0) } ?? []
  }
}
