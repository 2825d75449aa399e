import Glibc
import Synchronization

/// A signal that one thread waits for and another gives, once for each waiter.
final class Gate: Sendable {
  private let (reading, writing): (Int32, Int32)

  init() {
    var ends: [Int32] = [-1, -1]
    precondition(pipe(&ends) == 0)
    (reading, writing) = (ends[0], ends[1])
  }

  deinit {
    close(reading)
    close(writing)
  }

  func open() {
    var byte: UInt8 = 1
    _ = write(writing, &byte, 1)
  }

  /// False when nobody opened it within ten seconds.
  @discardableResult
  func pass() -> Bool {
    var wait = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
    guard poll(&wait, 1, 10_000) == 1 else { return false }
    var byte: UInt8 = 0
    return read(reading, &byte, 1) == 1
  }
}

/// The origin's end of one connection, blocking; every wait ends after ten seconds.
final class ScriptedConnection {
  let descriptor: Int32
  /// The how-manieth connection of the origin this is, from 0.
  let index: Int
  private let log: ScriptedOrigin
  private var pending: [UInt8] = []

  init(_ descriptor: Int32, index: Int, log: ScriptedOrigin) {
    self.descriptor = descriptor
    self.index = index
    self.log = log
    var patience = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  }

  /// The next request, head and body, as it came; nil when the client closed instead.
  @discardableResult
  func readRequest() -> String? {
    while true {
      if let end = requestEnd() {
        let request = String(decoding: pending[..<end], as: UTF8.self)
        pending.removeFirst(end)
        log.note(request)
        return request
      }
      guard readMore() else { return nil }
    }
  }

  private func readMore() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else { return false }
    pending += buffer[..<count]
    return true
  }

  private func requestEnd() -> Int? {
    guard pending.count >= 4,
      let last = (3..<pending.count).first(where: { pending[($0 - 3)...$0].elementsEqual("\r\n\r\n".utf8) })
    else { return nil }
    let head = String(decoding: pending[...last], as: UTF8.self).lowercased()
    if head.contains("\r\ntransfer-encoding:") { return chunkedEnd(from: last + 1) }
    let field = head.split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
    let length = field.flatMap { Int($0.dropFirst("content-length: ".count)) } ?? 0
    return pending.count >= last + 1 + length ? last + 1 + length : nil
  }

  /// Behind the blank line that follows the last chunk, for bodies that hold neither.
  private func chunkedEnd(from start: Int) -> Int? {
    guard let lastChunk = (start..<pending.count).first(where: { pending[$0...].starts(with: "0\r\n".utf8) }),
      let end = (lastChunk..<pending.count).first(where: { pending[$0...].starts(with: "\r\n\r\n".utf8) })
    else { return nil }
    return end + 4
  }

  @discardableResult
  func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// Whether the client closed; reads away what it sends until then.
  func waitForClose() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count == 0 { return true }
      if count < 0 { return errno != EAGAIN }
    }
  }

  /// Makes the close that follows a reset.
  func resetOnClose() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
  }
}

/// A raw TCP origin that does what its script says, on threads of its own: one for each connection.
final class ScriptedOrigin: Sendable {
  typealias Script = @Sendable (ScriptedConnection) -> Void

  let port: UInt16
  private let listener: Int32
  private let script: Script
  private let requestLog = Mutex<[String]>([])
  private let connections = Mutex(0)

  init(_ script: @escaping Script) {
    self.script = script
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = listener
    withUnsafeMutableBytes(of: &address) { bytes in
      guard let raw = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return }
      precondition(bind(descriptor, raw, length) == 0 && listen(descriptor, 64) == 0)
      precondition(getsockname(descriptor, raw, &length) == 0)
    }
    port = UInt16(bigEndian: address.sin_port)
    startThread { [self] in acceptAll() }
  }

  /// Every request that was read, in order.
  var requests: [String] { requestLog.withLock { $0 } }
  var connectionCount: Int { connections.withLock { $0 } }

  func note(_ request: String) { requestLog.withLock { $0.append(request) } }

  /// Stops listening; the port refuses connections from then on.
  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  private func acceptAll() {
    while true {
      let descriptor = accept(listener, nil, nil)
      // Closed here and not by `stop`, so that nobody accepts on a number that is another's by then.
      guard descriptor >= 0 else { return _ = close(listener) }
      let index = connections.withLock { count in
        defer { count += 1 }
        return count
      }
      startThread { [self] in
        script(ScriptedConnection(descriptor, index: index, log: self))
        close(descriptor)
      }
    }
  }
}

private final class Job {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Runs `work` on a new thread that nobody waits for.
func startThread(_ work: @escaping @Sendable () -> Void) {
  var thread = pthread_t()
  let job = Unmanaged.passRetained(Job(work))
  let code = pthread_create(
    &thread, nil,
    { context in
      guard let context else { return nil }
      Unmanaged<Job>.fromOpaque(context).takeRetainedValue().run()
      return nil
    }, job.toOpaque())
  precondition(code == 0)
  pthread_detach(thread)
}

func setNoDelay(_ descriptor: Int32, _ value: inout Int32) {
  setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &value, 4)
}
