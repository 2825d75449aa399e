import Glibc
import TapedeckHTTP

/// An open file, closed when nobody holds it any more.
package final class OpenFile: Sendable {
  package struct Status {
    var isPlain: Bool
    package var size: Int
    var device: UInt
    var inode: UInt
  }

  let descriptor: Int32
  /// For messages.
  let path: String

  init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit { close(descriptor) }

  package func status() throws(CassetteError) -> Status {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .failed("examine", path) }
    return Status(
      isPlain: status.st_mode & S_IFMT == S_IFREG, size: Int(status.st_size), device: UInt(status.st_dev),
      inode: UInt(status.st_ino))
  }

  /// Reads at most as much as fits into `buffer`; 0 at the end.
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(CassetteError) -> Int {
    while true {
      let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
      if count >= 0 { return count }
      guard errno == EINTR else { throw .failed("read", path) }
    }
  }

  /// `count` bytes from `offset` on; fewer when the file ends before.
  func bytes(at offset: Int, count: Int) throws(CassetteError) -> [UInt8] {
    var failure: CassetteError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      do throws(CassetteError) {
        while initialized < count {
          let rest = UnsafeMutableRawBufferPointer(
            rebasing: UnsafeMutableRawBufferPointer(buffer)[initialized...])
          let added = try read(at: offset + initialized, into: rest)
          guard added > 0 else { break }
          initialized += added
        }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// The whole file, which is refused unread when it has more than `limit` bytes.
  func contents(limit: Int) throws(CassetteError) -> [UInt8] {
    let size = try status().size
    guard size <= limit else { throw .tooLarge(path, bytes: size, limit: limit) }
    return try bytes(at: 0, count: size)
  }

  /// Writes all of `bytes`, going on after short writes.
  package func write(_ bytes: [UInt8]) throws(CassetteError) {
    try bytes.withRawBytes { buffer throws(CassetteError) in try write(buffer) }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(CassetteError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if count == 0 || errno != EINTR {
        throw .failed("write", path)
      }
    }
  }

  /// Makes what was written so far last. After a failure nothing may be believed of the file (the kernel forgets
  /// which of its pages were lost), so whoever gets one must not write to it again.
  func sync() throws(CassetteError) {
    guard fdatasync(descriptor) == 0 else { throw .failed("sync", path) }
  }

  func truncate(to size: Int) throws(CassetteError) {
    guard ftruncate(descriptor, off_t(size)) == 0 else { throw .failed("truncate", path) }
  }

  /// Takes the lock on the file, which goes with the process; false when another holds it.
  func tryLock() throws(CassetteError) -> Bool {
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return false }
      guard errno == EINTR else { throw .failed("lock", path) }
    }
    return true
  }

  static var processID: Int { Int(getpid()) }
}
