internal import Glibc

/// Tells a waiting script where we listen.
enum ReadyFile {
  /// Writes `text` to `path` at once: whoever sees the file sees all of it.
  static func write(_ text: String, to path: String) throws(Failure) {
    let temporary = "\(path).\(getpid()).tmp"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw failure(path) }
    let bytes = Array(text.utf8)
    let isWritten = Glibc.write(descriptor, bytes, bytes.count) == bytes.count
    close(descriptor)
    guard isWritten, rename(temporary, path) == 0 else {
      let failure = failure(path)
      unlink(temporary)
      throw failure
    }
  }

  private static func failure(_ path: String) -> Failure {
    Failure("cannot write --ready-file \(path): \(String(cString: strerror(errno)))")
  }
}
