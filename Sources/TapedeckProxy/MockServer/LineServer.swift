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
  public typealias Answer = @Sendable (_ line: String) -> String?

  public let host: String
  public let port: Int
  private let thread: EventLoopThread
  private let listener: Listener
  private let log: LineLog

  /// - Parameters:
  ///   - port: 0 lets the system choose one.
  ///   - answer: what is answered to a line, as a line; nil for nothing. By default a line is given back. Runs on the
  ///     server's thread.
  public init(
    host: String = "localhost", port: Int = 0, answer: @escaping Answer = { $0 }
  ) throws(FeatherError) {
    guard let number = UInt16(exactly: port) else { throw .badPort(port) }
    let (listener, log) = (try Self.listener(host, number), LineLog())
    self.host = host
    self.port = Int(listener.address.port)
    self.listener = listener
    self.log = log
    do throws(SocketError) {
      let ready = try Latch()
      thread = try EventLoopThread { loop in
        let worker = LineWorker(loop: loop, listener: listener, log: log, answer: answer)
        do throws(SocketError) { _ = try loop.add(listener.descriptor, .read, handler: worker) } catch {
          log.fail("\(error)")
        }
        ready.signal()
      }
      ready.wait()
    } catch {
      throw .cannotListen("\(error)")
    }
    if let failure = log.failure {
      stop()
      throw .cannotListen(failure)
    }
  }

  private static func listener(_ host: String, _ port: UInt16) throws(FeatherError) -> Listener {
    do throws(SocketError) { return try Listener(SocketAddress(host: host, port: port)) } catch {
      if error.isAddressInUse { throw .portsTaken(host: host, ports: Int(port)...Int(port)) }
      throw .cannotListen("\(error)")
    }
  }

  /// Every line that has come so far, over all connections.
  public var lines: [String] { log.lines }

  /// Ends all connections; the port is free when this returns.
  public func stop() {
    listener.stop()
    thread.stop()
    if log.claimEnd() { thread.join() }
  }

  deinit { stop() }
}

/// What the server's thread has to tell the others.
private final class LineLog: Sendable {
  private struct State {
    var lines: [String] = []
    var failure: String?
    var isEnded = false
  }

  private let state = Mutex(State())

  var lines: [String] { state.withLock { $0.lines } }
  var failure: String? { state.withLock { $0.failure } }

  func add(_ line: String) { state.withLock { $0.lines.append(line) } }
  func fail(_ problem: String) { state.withLock { $0.failure = problem } }

  /// True for the first who asks.
  func claimEnd() -> Bool {
    state.withLock { state in
      defer { state.isEnded = true }
      return !state.isEnded
    }
  }
}

/// Takes connections, on the loop's thread.
private final class LineWorker: EventHandler {
  private unowned let loop: EventLoop
  private let listener: Listener
  private let log: LineLog
  private let answer: LineServer.Answer

  init(loop: EventLoop, listener: Listener, log: LineLog, answer: @escaping LineServer.Answer) {
    self.loop = loop
    self.listener = listener
    self.log = log
    self.answer = answer
  }

  func descriptorReady(_ readiness: Readiness) {
    while case .connection(let socket) = listener.accept() {
      LineConnection(loop: loop, socket: socket, log: log, answer: answer).start()
    }
  }
}

/// One client: reads lines, answers each. What it cannot send yet waits, and meanwhile nothing is read.
private final class LineConnection: EventHandler {
  private static let maximumLineBytes = 1 << 20

  private unowned let loop: EventLoop
  private let socket: StreamSocket
  private let log: LineLog
  private let answer: LineServer.Answer
  private var registration: EventLoop.Registration?
  private var read: [UInt8] = []
  private var unsent: [UInt8] = []
  private var hasEnded = false

  init(loop: EventLoop, socket: StreamSocket, log: LineLog, answer: @escaping LineServer.Answer) {
    self.loop = loop
    self.socket = socket
    self.log = log
    self.answer = answer
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
    log.add(line)
    if let answer = answer(line) { unsent += Array("\(answer)\n".utf8) }
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
