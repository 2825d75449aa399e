internal import CSystem
internal import Glibc

/// A listening TCP socket. All loops wait on the same one; each connection goes to the loop that accepts it.
public final class Listener: Sendable {
  private static let unsentBytes: Int32 = 128 * 1024

  public let descriptor: Int32
  /// The address in use, with the real port when 0 was asked for.
  public let address: SocketAddress

  public init(_ wanted: SocketAddress, backlog: Int32 = 4096) throws(SocketError) {
    var hints = addrinfo()
    hints.ai_flags = AI_PASSIVE
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(wanted.host, String(wanted.port), &hints, &list) == 0, let info = list?.pointee else {
      throw SocketError("resolve", code: EADDRNOTAVAIL, subject: wanted.host)
    }
    defer { freeaddrinfo(list) }
    descriptor = socket(
      info.ai_family, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw SocketError("socket") }
    var one: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, 4)
    Self.limitUnsentBytes(descriptor)
    guard bind(descriptor, info.ai_addr, info.ai_addrlen) == 0, listen(descriptor, backlog) == 0 else {
      let code = errno
      close(descriptor)
      throw SocketError("listen on", code: code, subject: wanted.description)
    }
    address = SocketAddress(host: wanted.host, port: Self.boundPort(descriptor) ?? wanted.port)
  }

  /// Connections inherit this: a client that does not read holds this much kernel memory, and this much of a turn, not
  /// the megabytes to which the kernel would let its send buffer grow.
  private static func limitUnsentBytes(_ descriptor: Int32) {
    var bytes = unsentBytes
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &bytes, 4)
  }

  deinit { close(descriptor) }

  static func boundPort(_ descriptor: Int32) -> UInt16? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutableBytes(of: &storage) { bytes in
      getsockname(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
    }
    // The port stands in the same place in sockaddr_in and sockaddr_in6.
    return result == 0
      ? withUnsafeBytes(of: storage) { UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self)) } : nil
  }

  /// Refuses whoever comes from now on, and frees the port.
  public func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  public enum AcceptResult {
    case connection(StreamSocket)
    case none
    /// The process or the machine is out of descriptors or memory; try again later.
    case exhausted
  }

  public func accept() -> AcceptResult {
    while true {
      let accepted = td_accept_nonblocking(descriptor, nil, nil)
      if accepted >= 0 { return .connection(StreamSocket(adopting: accepted)) }
      switch errno {
      case EINTR, ECONNABORTED: continue
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
      default: return .none
      }
    }
  }
}
