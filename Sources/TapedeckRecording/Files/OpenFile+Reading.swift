import TapedeckHTTP

extension OpenFile {
  /// `count` bytes from `offset` on; fewer when the file ends before.
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

  /// Reads until `buffer` is full or the file ends, and says how much that is.
  private func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(CassetteError) -> Int {
    var count = 0
    while count < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
      let added = try read(at: offset + count, into: rest)
      guard added > 0 else { break }
      count += added
    }
    return count
  }

  /// The whole file, which is refused unread when it has more than `limit` bytes.
  func contents(limit: Int) throws(CassetteError) -> [UInt8] {
    try bytes(at: 0, count: try size(limit: limit))
  }

  fileprivate func size(limit: Int) throws(CassetteError) -> Int {
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

  /// One piece of memory into which file after file is read whole: for many small files. One thread uses a buffer.
  final class Buffer {
    private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    deinit { memory.deallocate() }

    /// All of a plain file, until the next one is read; nil when it is not there.
    func read(
      _ name: String, in directory: CassetteDirectory, limit: Int
    ) throws(CassetteError) -> UnsafeRawBufferPointer? {
      guard let file = try directory.openAny(name) else { return nil }
      let size = try file.size(limit: limit)
      if size > memory.count {
        memory.deallocate()
        memory = .allocate(byteCount: size, alignment: 16)
      }
      let count = try file.fill(UnsafeMutableRawBufferPointer(rebasing: memory[..<size]), at: 0)
      return UnsafeRawBufferPointer(rebasing: memory[..<count])
    }
  }
}
