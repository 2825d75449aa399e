import TapedeckHTTP

extension OpenFile {
  func bytes(at offset: Int, count: Int) throws(CassetteError) -> [UInt8] {
    var failure: CassetteError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      do throws(CassetteError) {
        initialized = try fill(UnsafeMutableRawBufferPointer(buffer), at: offset)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(CassetteError) -> Int {
    var count = 0
    while count < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
      let added = try read(at: offset + count, into: rest)
      guard added > 0 else { break }
      count += added
    }
    return count
  }

  /// The whole file; throws before reading when it has more than `limit` bytes.
  func contents(limit: Int) throws(CassetteError) -> [UInt8] {
    try bytes(at: 0, count: try size(limit: limit))
  }

  func size(limit: Int) throws(CassetteError) -> Int {
    let status = try status()
    guard status.isPlain else { throw .notAPlainFile(path: path) }
    guard status.size <= limit else {
      throw .invalidEntry(
        file: path, member: "", problem: "\(status.size) bytes are more than the limit of \(limit)")
    }
    return status.size
  }

  package func write(_ bytes: [UInt8]) throws(CassetteError) {
    try bytes.withRawBytes { buffer throws(CassetteError) in try write(buffer) }
  }
}
