internal import CSystem
internal import Glibc

/// Unix sockets to listen on.
enum UnixSocket {
  /// Binds a non-blocking socket to a path. The file that a killed listener left is replaced; any other file, and the
  /// socket of a living one, stays, and the address counts as in use.
  static func bind(_ path: String) throws(SocketError) -> Int32 {
    let kind = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    let descriptor = socket(AF_UNIX, Int32(kind), 0)
    guard descriptor >= 0 else { throw SocketError("socket") }
    if bind(descriptor, path) { return descriptor }
    if errno == EADDRINUSE, isAbandoned(path), unlink(path) == 0, bind(descriptor, path) { return descriptor }
    let code = errno
    close(descriptor)
    throw SocketError("listen on", code: code, subject: "unix:\(path)")
  }

  private static func bind(_ descriptor: Int32, _ path: String) -> Bool {
    withAddress(path) { Glibc.bind(descriptor, $0, $1) } == 0
  }

  /// Whether nobody listens on it any more.
  private static func isAbandoned(_ path: String) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else {
      errno = EADDRINUSE
      return false
    }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    let isRefused = withAddress(path) { connect(descriptor, $0, $1) } != 0 && errno == ECONNREFUSED
    errno = EADDRINUSE
    return isRefused
  }

  private static func withAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafeBytes(of: &address) { raw in
      guard let start = raw.bindMemory(to: sockaddr.self).baseAddress else { return -1 }
      return body(start, socklen_t(raw.count))
    }
  }
}
