import Glibc

/// One piece of memory into which file after file is read whole: for many small files. One thread uses a buffer.
final class FileBuffer {
  private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

  deinit { memory.deallocate() }

  /// All of a plain file, until the next one is read; nil when it is not there.
  /// - Parameter name: as the directory lists it.
  func read(
    _ name: String, in directory: CassetteDirectory, limit: Int
  ) throws(CassetteError) -> UnsafeRawBufferPointer? {
    guard let descriptor = try directory.descriptor(forReading: name) else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .failed("examine", directory.path(of: name)) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notAPlainFile(path: directory.path(of: name)) }
    let size = Int(status.st_size)
    guard size <= limit else { throw .tooLarge(directory.path(of: name), bytes: size, limit: limit) }
    makeRoom(for: size)
    var count = 0
    while count < size {
      let added = pread(descriptor, memory.baseAddress?.advanced(by: count), size - count, off_t(count))
      if added == 0 { break }
      if added > 0 {
        count += added
      } else if errno != EINTR {
        throw .failed("read", directory.path(of: name))
      }
    }
    return UnsafeRawBufferPointer(rebasing: memory[..<count])
  }

  private func makeRoom(for size: Int) {
    guard size > memory.count else { return }
    memory.deallocate()
    memory = .allocate(byteCount: size, alignment: 16)
  }
}
