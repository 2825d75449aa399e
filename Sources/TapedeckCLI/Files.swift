internal import Glibc

/// A file that the command line names for output.
///
/// A regular or new file is written beside its place and renamed at the end, so that readers never see a part of it. A
/// device, a FIFO or the target of a symlink is written in place, and `-` is standard output.
final class OutputFile {
  private let path: String
  /// `nil` if it is written in place.
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

  /// Adds to a file, or to what a symlink leads to, with one write; makes the file if it is absent.
  static func append(_ bytes: [UInt8], to path: String) throws(Failure) {
    // A FIFO that nobody reads is refused, not waited for.
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    guard writeAll(bytes, to: descriptor) else { throw failure(path) }
  }

  /// Throws at the start of a run if writing would fail at its end.
  static func checkWritable(_ path: String) throws(Failure) {
    guard path != "-" else { return }
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    var status = stat()
    if isReplaced(path) {
      if access(folder, W_OK | X_OK) == 0 { return }
    } else if stat(path, &status) != 0 {
      // Opening a dangling link creates its target.
      return
    } else if status.st_mode & S_IFMT == S_IFDIR {
      errno = EISDIR
    } else if access(path, W_OK) == 0 {
      return
    }
    throw failure(path)
  }

  /// Whether the path is free or holds a regular file.
  private static func isReplaced(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
  }

  private static let retryMicroseconds: UInt32 = 20_000

  /// Opening a FIFO waits for its reader, unless a signal ends the run.
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

  /// Whether all of it could be written; if not, `errno` says why.
  /// - Parameter waits: whether to wait for room if the descriptor does not block.
  @discardableResult
  static func writeAll(_ bytes: [UInt8], to descriptor: Int32, waits: Bool = true) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN, waits {
        var descriptor = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&descriptor, 1, -1)
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }

  private static func failure(_ path: String) -> Failure {
    let action = "cannot write \(path == "-" ? "standard output" : path)"
    return errno == ENOENT
      ? Failure("\(action): its folder does not exist; make it first") : Failure(errno: action)
  }
}

extension [UInt8] {
  private static var limitBytes: Int { 64 << 20 }

  /// The contents of a file, a device or a FIFO, up to 64 MiB.
  init(contentsOf path: String) throws(Failure) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(errno: "cannot read \(path)") }
    defer { close(descriptor) }
    self = []
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      guard count >= 0 else { throw Failure(errno: "cannot read \(path)") }
      if count == 0 { return }
      self += buffer[..<count]
      guard self.count <= Self.limitBytes else {
        throw Failure("cannot read \(path): it is larger than 64 MiB")
      }
    }
  }
}
