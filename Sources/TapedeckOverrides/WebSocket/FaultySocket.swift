internal import TapedeckHTTP
internal import TapedeckMocking
internal import TapedeckSockets

/// Passes the messages of a WebSocket on in both directions, but for those that a fault acts on. Each message goes on in
/// one frame. Bytes that break the protocol pass as they are, and the fault acts no more.
///
/// What is held back is bounded: a side whose messages wait is not read.
final class FaultySocket: StreamFilter, TunnelSource {
  /// One direction.
  private struct Way {
    var reader: WebSocketReader
    /// Frames that wait, with the time at which they go on.
    var waiting: [(due: Int64, bytes: [UInt8])] = []
    var isBroken = false
    var heldBytes: Int { waiting.reduce(0) { $0 + $1.bytes.count } }
  }

  private static let heldBytes = 64 << 10
  /// Frames of a client must be masked (RFC 6455 §5.3); nobody between us and the origin is to be kept from guessing.
  private static let mask: [UInt8] = [0x5A, 0xA5, 0x3C, 0xC3]

  let source: any ResponseSource
  private let upgrade: any TunnelSource
  var sink: (any ResponseSink)?
  var onRoom: () -> Void = {}
  private let fault: MessageFault
  private let loop: EventLoop
  private var generator: SplitMix64
  private var server = Way(reader: WebSocketReader(from: .server, maximumMessageBytes: 64 << 20))
  private var client = Way(reader: WebSocketReader(from: .client, maximumMessageBytes: 64 << 20))
  private var seen = 0
  private var isSourceWaiting = false
  private var isOpen = false
  private var timer: LoopTimer?
  /// How the stream ends, once the server's last message has gone on.
  private var ending: ((any ResponseSink) -> Void)?

  init(
    _ source: any ResponseSource, _ upgrade: any TunnelSource, _ fault: MessageFault, _ generator: SplitMix64,
    loop: EventLoop
  ) {
    (self.source, self.upgrade, self.fault) = (source, upgrade, fault)
    (self.generator, self.loop) = (generator, loop)
  }

  func start(into sink: any ResponseSink) {
    self.sink = sink
    timer = loop.makeTimer { [weak self] in self?.proceed() }
    upgrade.onRoom = { [weak self] in self?.proceed() }
    source.start(into: self)
  }

  func cancel() {
    timer?.cancel()
    cancelSource()
  }

  // MARK: From the server

  func begin(_ head: HTTPResponseHead, framing: BodyFraming) {
    isOpen = head.status == 101
    sink?.begin(head, framing: framing)
  }

  func write(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) -> SinkDemand {
    guard sink != nil else { return .gone }
    guard isOpen, !server.isBroken else { return pass(bytes, endsChunk: endsChunk) }
    read(bytes, from: .server)
    proceed()
    guard sink != nil else { return .gone }
    isSourceWaiting = server.heldBytes > Self.heldBytes || isSinkFull
    return isSourceWaiting ? .wait : .more
  }

  private var isSinkFull = false

  func resume() {
    isSinkFull = false
    if isOpen { proceed() } else { source.resume() }
  }

  func end(trailers: HTTPFields) { end { $0.end(trailers: trailers) } }
  func fail(_ response: HTTPResponse) { end { $0.fail(response) } }

  private func end(_ tell: @escaping (any ResponseSink) -> Void) {
    guard !server.waiting.isEmpty else { return finish(tell) }
    ending = tell
  }

  // MARK: From the client

  func take(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard sink != nil else { return bytes.count }
    if client.isBroken { return client.waiting.isEmpty ? upgrade.take(bytes) : 0 }
    guard client.heldBytes <= Self.heldBytes else { return 0 }
    read(bytes, from: .client)
    proceed()
    return bytes.count
  }

  // MARK: Both ways

  private func read(_ bytes: UnsafeRawBufferPointer, from side: WebSocketReader.Side) {
    var offset = 0
    do throws(WebSocketError) {
      while sink != nil {
        let message =
          side == .server
          ? try server.reader.next(bytes, at: &offset) : try client.reader.next(bytes, at: &offset)
        guard let message else { return }
        take(message, from: side)
      }
    } catch {
      // Who is to judge it gets the piece as it came.
      if side == .server { server.isBroken = true } else { client.isBroken = true }
      hold(Array(bytes), from: side, after: 0)
    }
  }

  private func take(_ message: WebSocketMessage, from side: WebSocketReader.Side) {
    let frame = message.frame(mask: side == .client ? Self.mask : nil)
    guard fault.acts(on: message, from: side, seen: &seen) else { return hold(frame, from: side, after: 0) }
    switch fault.action {
    case .drop: return
    case .latency(let milliseconds, let jitter):
      hold(
        frame, from: side, after: max(0, milliseconds + Int.random(in: -jitter...jitter, using: &generator)))
    case .close(let close):
      flushNow()
      _ = WebSocketMessage.close(code: close.code, reason: Array(close.reason.utf8)).frame()
        .withUnsafeBytes { pass($0, endsChunk: true) }
      timer?.cancel()
      finish { $0.end(trailers: HTTPFields()) }
      source.cancel()
    case .malformedFrame:
      flushNow()
      timer?.cancel()
      // Reserved bits and a reserved opcode, which no extension gives a meaning to.
      breakOff(.close(after: [0xFF] + (0..<63).map { _ in UInt8.random(in: 0...0xFF, using: &generator) }))
    }
  }

  /// - Parameter milliseconds: no message goes on before the one that came before it.
  private func hold(_ frame: [UInt8], from side: WebSocketReader.Side, after milliseconds: Int) {
    let due = MonotonicTime.now.nanoseconds + Int64(milliseconds) * 1_000_000
    if side == .server {
      server.waiting.append((max(due, server.waiting.last?.due ?? 0), frame))
    } else {
      client.waiting.append((max(due, client.waiting.last?.due ?? 0), frame))
    }
  }

  /// What came before the message that the fault ends the WebSocket with.
  private func flushNow() {
    for frame in server.waiting { _ = frame.bytes.withUnsafeBytes { pass($0, endsChunk: true) } }
    server.waiting = []
  }

  /// Passes on what is due and has room.
  private func proceed() {
    let now = MonotonicTime.now.nanoseconds
    while sink != nil, !isSinkFull, let first = server.waiting.first, first.due <= now {
      server.waiting.removeFirst()
      switch first.bytes.withUnsafeBytes({ pass($0, endsChunk: true) }) {
      case .more: break
      case .wait: isSinkFull = true
      case .gone: return cancel()
      }
    }
    let wasHeld = client.heldBytes
    passToServer(now)
    guard sink != nil else { return }
    if server.waiting.isEmpty, let ending = ending.take() { return finish(ending) }
    if isSourceWaiting, !isSinkFull, server.heldBytes <= Self.heldBytes / 4 {
      isSourceWaiting = false
      source.resume()
    }
    if wasHeld > client.heldBytes, client.heldBytes <= Self.heldBytes / 4 { onRoom() }
    let dues = [server.waiting.first?.due, client.waiting.first?.due]
    if let next = dues.compactMap(\.self).filter({ $0 > now }).min() {
      timer?.set(MonotonicTime(nanoseconds: next))
    }
  }

  private func passToServer(_ now: Int64) {
    while sink != nil, let first = client.waiting.first, first.due <= now {
      let count = first.bytes.withUnsafeBytes { upgrade.take($0) }
      if count == first.bytes.count {
        client.waiting.removeFirst()
      } else {
        client.waiting[0].bytes.removeFirst(count)
        return
      }
    }
  }
}
