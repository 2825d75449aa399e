internal import CSystem
internal import Glibc

/// A port that is ours before anyone listens on it: bound, so that the kernel gives it to nobody else who lets it choose.
/// A `Listener` of the same host may take it.
public final class PortReservation: Sendable {
  public let port: UInt16
  private let descriptor: Int32

  /// Lets the kernel choose a port.
  public init(host: String) throws(SocketError) {
    var hints = addrinfo()
    hints.ai_flags = AI_PASSIVE
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, "0", &hints, &list) == 0, let info = list?.pointee else {
      throw SocketError("resolve", code: EADDRNOTAVAIL, subject: host)
    }
    defer { freeaddrinfo(list) }
    let descriptor = socket(info.ai_family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw SocketError("socket") }
    // Both of those who bind it say so, and only one of them listens.
    var one: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, 4)
    guard bind(descriptor, info.ai_addr, info.ai_addrlen) == 0, let port = Listener.boundPort(descriptor)
    else {
      let code = errno
      close(descriptor)
      throw SocketError("reserve a port of", code: code, subject: host)
    }
    self.descriptor = descriptor
    self.port = port
  }

  deinit { close(descriptor) }
}
