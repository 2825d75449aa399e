internal import Glibc

/// A file that the command line asks for: whoever sees it sees all of it, for it gets its name at the end.
final class OutputFile {
  private let path: String
  private let temporary: String
  private let descriptor: Int32
  private var isFinished = false

  init(_ path: String) throws(Failure) {
    self.path = path
    temporary = "\(path).\(getpid()).tmp"
    descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure(path) }
  }

  deinit {
    close(descriptor)
    if !isFinished { unlink(temporary) }
  }

  func write(_ bytes: [UInt8]) throws(Failure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { throw Self.failure(path) }
    }
  }

  func finish() throws(Failure) {
    guard rename(temporary, path) == 0 else { throw Self.failure(path) }
    isFinished = true
  }

  private static func failure(_ path: String) -> Failure {
    Failure("cannot write \(path): \(String(cString: strerror(errno)))")
  }
}
