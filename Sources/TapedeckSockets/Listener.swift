internal import CSystem
internal import Glibc

/// A listening socket, TCP or unix, that all loops share; each connection belongs to the loop that accepts it.
public final class Listener: Sendable {
  public let descriptor: Int32
  /// The address in use, with the actual port when 0 was requested.
  public let address: SocketAddress

  public init(_ wanted: SocketAddress, backlog: Int32 = 4096) throws(SocketError) {
    if let path = wanted.path {
      descriptor = try UnixSocket.bind(path)
      address = wanted
      guard listen(descriptor, backlog) == 0 else {
        throw SocketError("listen on", subject: wanted.description)
      }
      return
    }
    let bound = try wanted.bind(for: "listen on", wanted.description)
    descriptor = bound.descriptor
    // Inherited by connections: bounds the kernel memory that a client can hold by not reading.
    var unsentBytes: Int32 = 128 * 1024
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &unsentBytes, 4)
    guard listen(descriptor, backlog) == 0 else {
      let code = errno
      close(descriptor)
      throw SocketError("listen on", code: code, subject: wanted.description)
    }
    address = SocketAddress(host: wanted.host, port: bound.port)
  }

  /// Takes over a listening socket of another network, where it serves every address.
  init(adopting descriptor: Int32) {
    self.descriptor = descriptor
    address = SocketAddress(host: "::", port: 0)
  }

  deinit { close(descriptor) }

  /// Refuses further connections and frees the port.
  public func stop() {
    shutdown(descriptor, Int32(SHUT_RDWR))
    if let path = address.path { unlink(path) }
  }

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

/// Reserves a port by binding it. A `Listener` of the same host may take it.
public final class PortReservation: Sendable {
  public let port: UInt16
  private let descriptor: Int32

  /// Lets the kernel choose the port.
  public init(host: String) throws(SocketError) {
    (descriptor, port) = try SocketAddress(host: host, port: 0).bind(for: "reserve a port of", host)
  }

  deinit { close(descriptor) }
}

extension SocketAddress {
  /// Makes a non-blocking TCP socket bound to this address. Several may be bound, but only one may listen.
  fileprivate func bind(
    for purpose: String, _ subject: String
  ) throws(SocketError) -> (descriptor: Int32, port: UInt16) {
    var hints = addrinfo()
    hints.ai_flags = AI_PASSIVE
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, String(port), &hints, &list) == 0, let info = list?.pointee else {
      throw SocketError("resolve", code: EADDRNOTAVAIL, subject: host)
    }
    defer { freeaddrinfo(list) }
    let kind = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    let descriptor = socket(info.ai_family, Int32(kind), 0)
    guard descriptor >= 0 else { throw SocketError("socket") }
    var one: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, 4)
    guard Glibc.bind(descriptor, info.ai_addr, info.ai_addrlen) == 0 else {
      let code = errno
      close(descriptor)
      throw SocketError(purpose, code: code, subject: subject)
    }
    return (descriptor, Self.boundPort(descriptor) ?? port)
  }

  private static func boundPort(_ descriptor: Int32) -> UInt16? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutableBytes(of: &storage) { bytes in
      getsockname(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
    }
    // The port is at the same offset in sockaddr_in and sockaddr_in6.
    return result == 0
      ? withUnsafeBytes(of: storage) { UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self)) } : nil
  }
}
