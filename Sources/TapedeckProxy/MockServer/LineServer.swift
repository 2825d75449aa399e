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
  /// The reply to a line; `nil` for none.
  public typealias Answer = @Sendable (_ line: String) -> String?

  /// The host it listens on.
  public let host: String
  /// The port it listens on.
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
