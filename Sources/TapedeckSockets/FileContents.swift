internal import Glibc

package enum FileContents {
  package static let limitBytes = 64 << 20

  package struct Problem: Error, Equatable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static var system: Problem { Problem(String(cString: strerror(errno))) }
  }

  /// - Parameter mayBePipe: whether a pipe is read too; its bytes can be read only once.
  package static func read(_ path: String, mayBePipe: Bool) throws(Problem) -> [UInt8] {
    // O_NONBLOCK does not wait for a pipe's writer.
    let file = open(path, O_RDONLY | O_CLOEXEC | (mayBePipe ? 0 : O_NONBLOCK))
    guard file >= 0 else { throw .system }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw .system }
    guard mayBePipe || status.st_mode & S_IFMT == S_IFREG else { throw Problem("it is no plain file") }
    guard status.st_size <= limitBytes else { throw tooLarge }
    return try contents(file)
  }

  private static let tooLarge = Problem("it is larger than 64 MiB")

  private static func contents(_ file: Int32) throws(Problem) -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = Glibc.read(file, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .system }
      if count == 0 { return bytes }
      bytes += piece[..<count]
      guard bytes.count <= limitBytes else { throw tooLarge }
    }
  }

  /// Replaces a plain file: readers see the old bytes or the new ones, never a part. The permissions stay.
  /// - Parameter path: without links, which would be replaced instead of their targets.
  package static func replace(_ path: String, with bytes: [UInt8]) throws(Problem) {
    var status = stat()
    guard stat(path, &status) == 0 else { throw .system }
    let temporary = "\(path).\(getpid()).new"
    let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw .system }
    var isWritten = fchmod(file, status.st_mode & 0o777) == 0
    var rest = bytes[...]
    while isWritten, !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      isWritten = count > 0
      rest = rest.dropFirst(max(0, count))
    }
    isWritten = isWritten && fsync(file) == 0
    isWritten = close(file) == 0 && isWritten && rename(temporary, path) == 0
    guard isWritten else {
      let problem = Problem.system
      unlink(temporary)
      throw problem
    }
  }

  /// The path without links and dots; `nil`, with `errno` set, if there is no file.
  package static func resolved(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  package static func isPlain(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Changes with every change of the file; `nil` if there is none.
  package static func stamp(_ path: String) -> [Int]? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return [
      Int(status.st_dev), Int(status.st_ino), Int(status.st_size), status.st_mtim.tv_sec,
      status.st_mtim.tv_nsec,
    ]
  }
}
