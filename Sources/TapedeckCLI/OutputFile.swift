internal import Glibc

/// What the command line asks to be written somewhere.
///
/// A regular file, or one that is not there yet, is written beside and renamed at the end: whoever sees it sees all of
/// it. A device, a FIFO or what a symlink leads to is written in place, and `-` is standard output.
final class OutputFile {
  private let path: String
  /// Nil where it is written in place.
  private let temporary: String?
  private let descriptor: Int32
  private var isFinished = false

  init(_ path: String, permissions: mode_t = 0o600) throws(Failure) {
    self.path = path
    if path == "-" {
      (temporary, descriptor) = (nil, dup(STDOUT_FILENO))
    } else if Self.isReplaced(path) {
      let temporary = "\(path).\(getpid()).tmp"
      self.temporary = temporary
      descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions)
    } else {
      (temporary, descriptor) = (nil, Self.openInPlace(path))
    }
    guard descriptor >= 0 else { throw Self.failure(path) }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    if !isFinished, let temporary { unlink(temporary) }
  }

  /// Writes a whole file.
  static func write(_ bytes: [UInt8], to path: String, permissions: mode_t = 0o644) throws(Failure) {
    let file = try OutputFile(path, permissions: permissions)
    try file.write(bytes)
    try file.finish()
  }

  func write(_ bytes: [UInt8]) throws(Failure) {
    guard Self.writeAll(bytes, to: descriptor) else { throw Self.failure(path) }
  }

  func finish() throws(Failure) {
    if let temporary, rename(temporary, path) != 0 { throw Self.failure(path) }
    isFinished = true
  }

  /// Throws now what would go wrong later, at the end of a run.
  static func checkWritable(_ path: String) throws(Failure) {
    guard path != "-" else { return }
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let isWritable = isReplaced(path) ? access(folder, W_OK | X_OK) == 0 : isWritableInPlace(path)
    guard isWritable else { throw failure(path) }
  }

  private static func isWritableInPlace(_ path: String) -> Bool {
    var status = stat()
    // A link that leads nowhere leads to a file that is made.
    guard stat(path, &status) == 0 else { return true }
    if status.st_mode & S_IFMT == S_IFDIR {
      errno = EISDIR
      return false
    }
    return access(path, W_OK) == 0
  }

  /// Whether nothing is there, or a regular file that belongs there.
  private static func isReplaced(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
  }

  private static let retryMicroseconds: UInt32 = 20_000

  /// A FIFO is opened when somebody reads it. That may take long, so a signal to end the run is obeyed meanwhile.
  private static func openInPlace(_ path: String) -> Int32 {
    var status = stat()
    let isFIFO = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    guard isFIFO else { return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644) }
    while true {
      let descriptor = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
      if descriptor >= 0 {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
        return descriptor
      }
      guard errno == ENXIO, !Signals.isEndPending else { return -1 }
      usleep(retryMicroseconds)
    }
  }

  /// Whether all of it could be written; `errno` says why not.
  static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        var descriptor = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&descriptor, 1, -1)
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }

  private static func failure(_ path: String) -> Failure {
    let name = path == "-" ? "standard output" : path
    guard errno != ENOENT else {
      return Failure("cannot write \(name): its folder is not there; make it first")
    }
    return Failure("cannot write \(name): \(String(cString: strerror(errno)))")
  }
}
