internal import Glibc

/// A client that stays.
public final class Client {
  private var descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)

  public init(_ port: UInt16, host: String = "127.0.0.1") throws {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr(host)
    let connected = withUnsafeBytes(of: &address) {
      connect(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
    }
    guard connected == 0 else { throw NotConnected(port: port) }
    var timeout = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Leaves in the middle of things: the other side sees a reset.
  public func reset() {
    var atOnce = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout<linger>.size))
    close(descriptor)
    descriptor = -1
  }

  public func say(_ text: String) {
    let bytes = Array(text.utf8)
    _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// The status of the next answer; nil when the connection ended without one. Whole heads come in one piece here.
  public func status() -> Int? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    let text = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    return text.hasPrefix("HTTP/1.1 ") ? Int(text.dropFirst(9).prefix(3)) : nil
  }

  /// How much has come; nil when nothing more does.
  public func read() -> Int? {
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    return count > 0 ? count : nil
  }

  /// Whether the server ended the connection in order: all it said is read, and no reset cut it short.
  public func endsOrderly() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count <= 0 { return count == 0 }
    }
  }
}

public struct NotConnected: Error {
  public var port: UInt16
}
