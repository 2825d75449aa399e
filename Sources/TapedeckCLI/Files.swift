internal import Glibc

/// Small files that the command line names.
enum Files {
  private static let limitBytes = 64 << 20

  /// Writes a file at once: whoever sees it sees all of it.
  static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
    let temporary = "\(path).\(getpid()).tmp"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw failure(path) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { break }
    }
    let failure = failure(path)
    close(descriptor)
    guard rest.isEmpty, rename(temporary, path) == 0 else {
      let failure = rest.isEmpty ? self.failure(path) : failure
      unlink(temporary)
      throw failure
    }
  }

  /// Throws now what would go wrong later, at the end of a run.
  static func checkWritable(_ path: String) throws(Failure) {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    guard access(folder, W_OK | X_OK) == 0 else { throw failure(path) }
  }

  private static func failure(_ path: String) -> Failure {
    Failure("cannot write \(path): \(String(cString: strerror(errno)))")
  }

  static func read(_ path: String) throws(Failure) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure("cannot read \(path): \(String(cString: strerror(errno)))") }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      guard count >= 0 else { throw Failure("cannot read \(path): \(String(cString: strerror(errno)))") }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
      guard bytes.count <= limitBytes else { throw Failure("cannot read \(path): it is larger than 64 MiB") }
    }
  }
}
