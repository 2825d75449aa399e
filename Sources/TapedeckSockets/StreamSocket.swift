internal import CSystem
internal import Glibc

/// The result of a read or write.
public enum TransferResult: Sendable {
  case bytes(Int)
  case wouldBlock
  case endOfStream
  case failed(code: Int32)
}

/// A connected, non-blocking stream socket; closes once.
public final class StreamSocket {
  /// -1 once closed.
  @exclusivity(unchecked) public private(set) var descriptor: Int32
  /// What reads and writes go through, once the connection speaks TLS.
  @exclusivity(unchecked) package private(set) var tls: TLSSession?

  public init(adopting descriptor: Int32) {
    self.descriptor = descriptor
    var one: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
  }

  deinit { close() }

  public func close() {
    guard descriptor >= 0 else { return }
    tls?.sendCloseNotify(to: descriptor)
    closeWithoutNotice()
  }

  private func closeWithoutNotice() {
    Glibc.close(descriptor)
    descriptor = -1
  }

  /// Closes with a reset.
  public func closeWithReset() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    if descriptor >= 0 { closeWithoutNotice() }
  }

  /// Speaks TLS from here on, beginning with bytes that were already read.
  /// - Parameter expectedName: the server's name for a client that names none; the address it connected to by default.
  package func startTLS(
    _ server: TLSServer, buffers: TLSBuffers, expectedName: ServerName?, received: UnsafeRawBufferPointer
  ) throws(TLSError) {
    let name = expectedName ?? ServerName(localAddressOf: descriptor) ?? .dns("localhost")
    tls = try TLSSession(server, buffers: buffers, expectedName: name, received: received)
  }

  /// Sends a FIN.
  public func finishSending() {
    if let tls { tls.finishSending(to: descriptor) } else { shutdown(descriptor, Int32(SHUT_WR)) }
  }

  public func read(into buffer: UnsafeMutableRawBufferPointer) -> TransferResult {
    if let tls { return tls.read(into: buffer, from: descriptor) }
    return Self.read(descriptor, into: buffer)
  }

  /// After `wouldBlock` the next write must begin with the same bytes.
  public func write(_ bytes: UnsafeRawBufferPointer) -> TransferResult {
    if let tls { return tls.write(bytes, to: descriptor) }
    return Self.write(descriptor, bytes)
  }

  /// Reads from a socket that the caller owns.
  public static func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer
  ) -> TransferResult {
    while true {
      let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
      if count > 0 { return .bytes(count) }
      if count == 0 { return .endOfStream }
      if errno != EINTR { return failure() }
    }
  }

  /// Writes to a socket that the caller owns.
  public static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> TransferResult {
    while true {
      let count = send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
      if count >= 0 { return .bytes(count) }
      if errno != EINTR { return failure() }
    }
  }

  /// Writes both buffers in one call, in order. After `wouldBlock` the next write must begin with the same bytes.
  public func write(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> TransferResult {
    if let tls { return tls.write(first, second, to: descriptor) }
    return withUnsafeTemporaryAllocation(of: iovec.self, capacity: 2) { vectors in
      vectors[0] = iovec(iov_base: UnsafeMutableRawPointer(mutating: first.baseAddress), iov_len: first.count)
      vectors[1] = iovec(
        iov_base: UnsafeMutableRawPointer(mutating: second.baseAddress), iov_len: second.count)
      var message = msghdr()
      message.msg_iov = vectors.baseAddress
      message.msg_iovlen = 2
      while true {
        let count = sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL))
        if count >= 0 { return .bytes(count) }
        if errno != EINTR { return Self.failure() }
      }
    }
  }

  private static func failure() -> TransferResult {
    errno == EAGAIN || errno == EWOULDBLOCK ? .wouldBlock : .failed(code: errno)
  }
}
