internal import CSystem
internal import Glibc

/// Responds to DNS queries by UDP and TCP (RFC 1035 §4.2) from a table of names, on a thread of its own.
final class NameServer: Sendable {
  private let thread: EventLoopThread

  /// - Parameters:
  ///   - datagrams: a bound UDP socket that tells to which address each query was sent.
  ///   - listener: for TCP.
  init(_ table: NameTable, datagrams: Int32, listener: Listener) throws(SocketError) {
    thread = try EventLoopThread { loop in
      // The loop keeps its handlers.
      _ = try? loop.add(datagrams, .read, handler: Datagrams(datagrams, table))
      _ = try? loop.add(listener.descriptor, .read, handler: Streams(listener, table, loop))
    }
  }

  func stop() {
    thread.stop()
    thread.join()
  }

  /// Queries by UDP.
  private final class Datagrams: EventHandler {
    private let descriptor: Int32
    private let table: NameTable
    /// Queries have one question; what is larger is no query for us.
    private var buffer = [UInt8](repeating: 0, count: 4096)

    init(_ descriptor: Int32, _ table: NameTable) { (self.descriptor, self.table) = (descriptor, table) }
    deinit { close(descriptor) }

    func descriptorReady(_ readiness: Readiness) {
      var path = td_datagram_path()
      while true {
        let count = td_receive_datagram(descriptor, &buffer, buffer.count, &path)
        if count < 0 { return }
        guard let response = DNSMessage.response(to: Array(buffer[..<count]), from: table) else { continue }
        _ = td_send_datagram(descriptor, response, response.count, &path)
      }
    }
  }

  /// Connections for queries by TCP.
  private final class Streams: EventHandler {
    private let listener: Listener
    private let table: NameTable
    private unowned let loop: EventLoop

    init(_ listener: Listener, _ table: NameTable, _ loop: EventLoop) {
      (self.listener, self.table, self.loop) = (listener, table, loop)
    }

    func descriptorReady(_ readiness: Readiness) {
      while case .connection(let socket) = listener.accept() { Stream(socket, table, loop).start() }
    }
  }

  /// One connection: each message has its length before it (RFC 1035 §4.2.2).
  private final class Stream: EventHandler {
    private let socket: StreamSocket
    private let table: NameTable
    private unowned let loop: EventLoop
    private var registration: EventLoop.Registration?
    private var timer: LoopTimer?
    private var received: [UInt8] = []

    private static let idleMilliseconds = 10_000

    init(_ socket: StreamSocket, _ table: NameTable, _ loop: EventLoop) {
      (self.socket, self.table, self.loop) = (socket, table, loop)
    }

    func start() {
      registration = try? loop.add(socket.descriptor, .read, handler: self)
      timer = loop.makeTimer { [weak self] in self?.end() }
      timer?.set(loop.now.adding(milliseconds: Self.idleMilliseconds))
    }

    func descriptorReady(_ readiness: Readiness) {
      var buffer = [UInt8](repeating: 0, count: 4096)
      switch buffer.withUnsafeMutableBytes({ socket.read(into: $0) }) {
      case .bytes(let count): received += buffer[..<count]
      case .wouldBlock: return
      case .endOfStream, .failed: return end()
      }
      while received.count >= 2, received.count >= 2 + length { guard respond() else { return end() } }
      timer?.set(loop.now.adding(milliseconds: Self.idleMilliseconds))
    }

    private var length: Int { Int(received[0]) << 8 | Int(received[1]) }

    /// Returns false where the client is not to be served on: what it does not read is not kept for it.
    private func respond() -> Bool {
      let query = Array(received[2..<(2 + length)])
      received.removeFirst(2 + length)
      guard let response = DNSMessage.response(to: query, from: table) else { return false }
      let framed = [UInt8(response.count >> 8), UInt8(response.count & 0xFF)] + response
      guard case .bytes(framed.count) = framed.withUnsafeBytes({ socket.write($0) }) else { return false }
      return true
    }

    private func end() {
      timer?.cancel()
      if let registration { loop.remove(registration) }
      registration = nil
      socket.close()
    }
  }
}
