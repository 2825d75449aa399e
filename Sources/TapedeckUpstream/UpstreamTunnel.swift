internal import CCurl
internal import Glibc
package import TapedeckHTTP
package import TapedeckSockets

/// Carries bytes between a client and an origin without reading them (RFC 9110 §9.3.6). All calls happen on the loop's
/// thread.
///
/// Neither side is read faster than the other one takes: `take` writes to the kernel only, and a sink that says `wait`
/// stops the reading. A tunnel in which nothing moves is closed after `idleMilliseconds`.
package final class UpstreamTunnel: TunnelSource, EventHandler {
  package var onRoom: () -> Void = {}
  private let client: UpstreamClient
  private let handle: CurlHandle
  private var sink: (any ResponseSink)?
  private var registration: EventLoop.Registration?
  private var timer: LoopTimer?
  private var isConnected = false
  private var isPaused = false
  /// Whether the kernel has no room for the client's bytes.
  private var isFull = false
  private var hasClientFinished = false

  /// nginx and HAProxy close idle tunnels after 10 minutes and 1 hour.
  static let idleMilliseconds = 600_000
  private static let piecesPerTurn = 16

  init(_ client: UpstreamClient) throws(UpstreamError) {
    self.client = client
    handle = try CurlHandle(client.configuration, client.connector)
    client.tunnelCount += 1
    handle.onConnected = { [unowned self] in connected($0) }
    handle.onLost = { [unowned self] in end { $0.abort(.reset) } }
    timer = client.loop.makeTimer { [unowned self] in end { $0.abort(.close(after: [])) } }
  }

  deinit {
    close()
    client.tunnelCount -= 1
  }

  // MARK: Connecting

  package func start(into sink: any ResponseSink) {
    self.sink = sink
    handle.reset()
    guard client.connector.connect(handle) else {
      return fail(UpstreamFailure(.internalError, "libcurl took no further connection."))
    }
    hasHandle = true
  }

  /// Whether libcurl has the handle.
  private var hasHandle = false

  private func connected(_ code: CURLcode) {
    guard code == CURLE_OK else { return fail(handle.failure(code)) }
    guard handle.takeConnection(), watch() else {
      return fail(UpstreamFailure(.internalError, "The connection cannot be waited for."))
    }
    isConnected = true
    touch()
    var head = HTTPResponseHead(status: 200)
    head.reason = Array("Connection established".utf8)
    sink?.begin(head, framing: .none)
    guard sink != nil else { return }
    onRoom()
    // A client may have finished before there was anyone to tell.
    if hasClientFinished { clientFinished() }
  }

  // MARK: From the client

  package func take(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard isConnected else { return 0 }
    var count = 0
    while count < bytes.count {
      switch handle.send(UnsafeRawBufferPointer(rebasing: bytes[count...])) {
      case .bytes(let written): count += written
      case .wouldBlock:
        isFull = true
        _ = watch()
        return count
      case .endOfStream, .failed:
        // What the origin said before may still be read; the rest is lost.
        return bytes.count
      }
    }
    touch()
    return count
  }

  /// RFC 9110 §9.3.6: what came from the side that closed is delivered first.
  package func clientFinished() {
    hasClientFinished = true
    if isConnected, !handle.isLost { _ = shutdown(handle.descriptor, Int32(SHUT_WR)) }
  }

  package func resume() {
    guard isPaused else { return }
    isPaused = false
    _ = watch()
    // Bytes that libcurl holds cause no event.
    if handle.holdsBack { receive() }
  }

  package func cancel() {
    sink = nil
    close()
  }

  // MARK: From the origin

  package func descriptorReady(_ readiness: Readiness) {
    if readiness.isWritable, isFull {
      isFull = false
      _ = watch()
      onRoom()
    }
    if readiness.isReadable || readiness.isBroken { receive() }
  }

  private func receive() {
    for _ in 0..<Self.piecesPerTurn {
      guard let sink, !isPaused else { break }
      switch handle.receive(into: client.readBuffer) {
      case .bytes(let count):
        touch()
        let bytes = UnsafeRawBufferPointer(rebasing: client.readBuffer[..<count])
        switch sink.write(bytes, endsChunk: true) {
        case .more: break
        case .wait: isPaused = true
        case .gone: return cancel()
        }
      case .wouldBlock: return
      case .endOfStream: return end { $0.end(trailers: HTTPFields()) }
      case .failed: return end { $0.abort(.reset) }
      }
    }
    if isPaused { _ = watch() }
  }

  // MARK: The connection

  private func touch() { timer?.set(client.loop.now.adding(milliseconds: Self.idleMilliseconds)) }

  /// Waits for what is wanted; for nothing where both directions are blocked, since the kernel reports a broken
  /// connection whether it is wanted or not.
  private func watch() -> Bool {
    if let registration { client.loop.remove(registration) }
    registration = nil
    var wanted: Interest = isPaused ? [] : .read
    if isFull { wanted.insert(.write) }
    if wanted.isEmpty { return true }
    registration = try? client.loop.add(handle.descriptor, wanted, handler: self)
    return registration != nil
  }

  private func fail(_ failure: UpstreamFailure) { end { $0.fail(failure.response) } }

  private func end(_ tell: (any ResponseSink) -> Void) {
    let last = sink
    sink = nil
    close()
    if let last { tell(last) }
  }

  private func close() {
    timer?.cancel()
    if let registration { client.loop.remove(registration) }
    registration = nil
    isConnected = false
    if hasHandle { client.connector.disconnect(handle) }
    hasHandle = false
  }
}
