internal import Synchronization
internal import TapedeckSockets

/// A mock of a service that speaks lines of text over TCP, like a log collector. It runs beside a ``Feather``, at a port of
/// its own.
///
/// ```swift
/// let logs = try LineServer { line in line.hasPrefix("PING") ? "PONG" : nil }
/// …
/// #expect(logs.lines == ["PING"])
/// logs.stop()
/// ```
///
/// A line ends with LF or CR LF, neither of which is part of it, and has 1 MiB at most; a longer one ends its connection.
public final class LineServer: Sendable {
  /// The host it listens on.
  public let host: String
  /// The port it listens on.
  public let port: Int
  private let thread: EventLoopThread
  private let listener: Listener
  private let log = LineLog()
  private let isStopped = Atomic(false)

  /// - Parameters:
  ///   - port: 0 lets the system choose one.
  ///   - reply: the line that is sent back for a line, `nil` for none; called on the server's thread. By default the line
  ///     itself.
  public init(
    host: String = "localhost", port: Int = 0, reply: @escaping @Sendable (_ line: String) -> String? = { $0 }
  ) throws(FeatherError) {
    guard let number = UInt16(exactly: port) else { throw .badPort(port) }
    do throws(SocketError) {
      listener = try Listener(SocketAddress(host: host, port: number))
      let ready = try Latch()
      thread = try EventLoopThread { [listener, log] loop in
        let clients = LineListener(loop, listener) { line in
          log.lines.withLock { $0.append(line) }
          return reply(line)
        }
        do throws(SocketError) { _ = try loop.add(listener.descriptor, .read, handler: clients) } catch {
          log.failure.withLock { $0 = error }
        }
        ready.signal()
      }
      ready.wait()
    } catch {
      if error.isAddressInUse { throw .portsTaken(host: host, ports: port...port) }
      throw .cannotListen("\(error)")
    }
    self.host = host
    self.port = Int(listener.address.port)
    if let failure = log.failure.withLock({ $0 }) {
      stop()
      throw .cannotListen("\(failure)")
    }
  }

  /// Every line that has come so far, over all connections.
  public var lines: [String] { log.lines.withLock { $0 } }

  /// Ends all connections; the port is free when this returns.
  public func stop() {
    listener.stop()
    thread.stop()
    if !isStopped.exchange(true, ordering: .acquiringAndReleasing) { thread.join() }
  }

  deinit { stop() }
}

/// What the server's thread has to tell the others.
private final class LineLog: Sendable {
  let lines = Mutex<[String]>([])
  let failure = Mutex<SocketError?>(nil)
}

/// Accepts connections, on the loop's thread.
private final class LineListener: EventHandler {
  private unowned let loop: EventLoop
  private let listener: Listener
  private let respond: (String) -> String?

  init(_ loop: EventLoop, _ listener: Listener, respond: @escaping (String) -> String?) {
    self.loop = loop
    self.listener = listener
    self.respond = respond
  }

  func descriptorReady(_ readiness: Readiness) {
    while case .connection(let socket) = listener.accept() {
      LineConnection(loop, socket, respond: respond).start()
    }
  }
}

/// One client of a `LineServer`. It reads no further lines until its replies are sent.
private final class LineConnection: EventHandler {
  private static let maximumLineBytes = 1 << 20

  private unowned let loop: EventLoop
  private let socket: StreamSocket
  private let respond: (String) -> String?
  private var registration: EventLoop.Registration?
  private var read: [UInt8] = []
  private var unsent: [UInt8] = []
  private var hasEnded = false

  init(_ loop: EventLoop, _ socket: StreamSocket, respond: @escaping (String) -> String?) {
    self.loop = loop
    self.socket = socket
    self.respond = respond
  }

  func start() {
    do throws(SocketError) { registration = try loop.add(socket.descriptor, .read, handler: self) } catch {
      socket.close()
    }
  }

  func descriptorReady(_ readiness: Readiness) {
    if unsent.isEmpty { readLines() } else { send() }
  }

  private func readLines() {
    let result = withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 16) { buffer in
      let result = socket.read(into: buffer)
      if case .bytes(let count) = result { read += buffer[..<count] }
      return result
    }
    switch result {
    case .bytes: break
    case .wouldBlock: return
    case .endOfStream: hasEnded = true
    case .failed: return end()
    }
    while let index = read.firstIndex(of: UInt8(ascii: "\n")) {
      take(read[..<index])
      read.removeSubrange(...index)
    }
    if hasEnded, !read.isEmpty { take(read[...]) }
    if read.count > Self.maximumLineBytes { return end() }
    send()
  }

  private func take(_ bytes: ArraySlice<UInt8>) {
    let line = String(decoding: bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes, as: UTF8.self)
    if let reply = respond(line) { unsent += Array("\(reply)\n".utf8) }
  }

  private func send() {
    while !unsent.isEmpty {
      switch unsent.withUnsafeBytes({ socket.write($0) }) {
      case .bytes(let count): unsent.removeFirst(count)
      case .wouldBlock: return wait(for: .write)
      case .endOfStream, .failed: return end()
      }
    }
    if hasEnded { end() } else { wait(for: .read) }
  }

  private func wait(for interest: Interest) {
    if let registration { loop.change(registration, interest) }
  }

  private func end() {
    if let registration { loop.remove(registration) }
    registration = nil
    socket.close()
  }
}
