internal import TapedeckHTTP
internal import TapedeckSockets

/// Decides about the messages of one WebSocket.
protocol MessageEffect: AnyObject {
  /// What becomes of a text or binary message, in order.
  func steps(for message: WebSocketMessage, from side: WebSocketReader.Side) -> [MessageStep]
  /// Called once, when no message follows.
  /// - Parameter wasOpen: false if the response has opened no WebSocket.
  func ended(wasOpen: Bool)
}

extension MessageEffect {
  func ended(wasOpen: Bool) {}
}

/// A thing done in the place of a message.
enum MessageStep {
  /// Passes a message on after a time, and those behind it no earlier.
  case pass(WebSocketMessage, afterNanoseconds: Int64)
  /// Closes the WebSocket towards the client, and leaves the server.
  case close(DeclaredClose)
  /// Sends the client these bytes, which are no frame, and ends the connection.
  case malformedFrame([UInt8])
}

/// Passes the messages of a WebSocket on in both directions, as an effect decides. Each message goes on in one frame. A
/// side that breaks the protocol ends the WebSocket, as at any endpoint (RFC 6455 §7.1.7): the client gets the code.
///
/// What is held back is bounded: a side whose messages wait is not read.
final class MessageFilter: StreamFilter, TunnelSource {
  /// One direction.
  private struct Way {
    var reader: WebSocketReader
    /// Frames that wait, with the time at which they go on.
    var waiting: [(due: Int64, bytes: [UInt8])] = []
    var heldBytes: Int { waiting.reduce(0) { $0 + $1.bytes.count } }
  }

  private static let maximumMessageBytes = 64 << 20
  private static let heldBytes = 64 << 10
  /// Frames of a client must be masked (RFC 6455 §5.3); nobody between us and the origin is to be kept from guessing.
  private static let mask: [UInt8] = [0x5A, 0xA5, 0x3C, 0xC3]

  let source: any ResponseSource
  private let upgrade: any TunnelSource
  var sink: (any ResponseSink)?
  var onRoom: () -> Void = {}
  private let effect: any MessageEffect
  private let loop: EventLoop
  private var server = Way(reader: WebSocketReader(from: .server, maximumMessageBytes: maximumMessageBytes))
  private var client = Way(reader: WebSocketReader(from: .client, maximumMessageBytes: maximumMessageBytes))
  private var isSourceWaiting = false
  private var isPassingToServer = false
  private var isOpen = false
  private var hasEnded = false
  private var timer: LoopTimer?
  /// How the stream ends, once the server's last message has gone on.
  private var ending: ((any ResponseSink) -> Void)?

  init(
    _ source: any ResponseSource, _ upgrade: any TunnelSource, _ effect: any MessageEffect, loop: EventLoop
  ) {
    (self.source, self.upgrade, self.effect, self.loop) = (source, upgrade, effect, loop)
  }

  func start(into sink: any ResponseSink) {
    self.sink = sink
    timer = loop.makeTimer { [weak self] in self?.proceed() }
    upgrade.onRoom = { [weak self] in self?.proceed() }
    source.start(into: self)
  }

  func cancel() {
    noteEnd()
    cancelSource()
  }

  private func noteEnd() {
    timer?.cancel()
    guard !hasEnded else { return }
    hasEnded = true
    effect.ended(wasOpen: isOpen)
  }

  // MARK: From the server

  func begin(_ head: HTTPResponseHead, framing: BodyFraming) {
    isOpen = head.status == 101
    sink?.begin(head, framing: framing)
  }

  func write(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) -> SinkDemand {
    guard sink != nil else { return .gone }
    guard isOpen else { return pass(bytes, endsChunk: endsChunk) }
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
    guard !server.waiting.isEmpty else { return endStream(tell) }
    ending = tell
  }

  private func endStream(_ tell: (any ResponseSink) -> Void) {
    noteEnd()
    finish(tell)
  }

  // MARK: From the client

  func take(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard sink != nil else { return bytes.count }
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
      close(error.code, Array("\(error)".utf8))
    }
  }

  private func take(_ message: WebSocketMessage, from side: WebSocketReader.Side) {
    let isControl = message.bytes == nil
    let steps = isControl ? [.pass(message, afterNanoseconds: 0)] : effect.steps(for: message, from: side)
    for step in steps where sink != nil {
      switch step {
      case .pass(let message, let nanoseconds): hold(message, from: side, after: nanoseconds)
      case .close(let close): self.close(close.code, Array(close.reason.utf8))
      case .malformedFrame(let bytes):
        flushNow()
        noteEnd()
        breakOff(.close(after: bytes))
      }
    }
  }

  private func close(_ code: Int, _ reason: [UInt8]) {
    passToServer(.max)
    guard sink != nil else { return }
    flushNow()
    _ = WebSocketMessage.close(code: code, reason: reason).frame()
      .withUnsafeBytes { pass($0, endsChunk: true) }
    endStream { $0.end(trailers: HTTPFields()) }
    source.clientLeft()
  }

  /// No message goes on before the one that came before it.
  private func hold(
    _ message: WebSocketMessage, from side: WebSocketReader.Side, after nanoseconds: Int64
  ) {
    let due = MonotonicTime.now.nanoseconds + nanoseconds
    let frame = message.frame(mask: side == .client ? Self.mask : nil)
    if side == .server {
      server.waiting.append((max(due, server.waiting.last?.due ?? 0), frame))
    } else {
      client.waiting.append((max(due, client.waiting.last?.due ?? 0), frame))
    }
  }

  /// Sends what came before the message that the WebSocket ends with.
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
    if server.waiting.isEmpty, let ending = ending.take() { return endStream(ending) }
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
    // A server that replies at once comes back here.
    guard !isPassingToServer else { return }
    isPassingToServer = true
    defer { isPassingToServer = false }
    while sink != nil, let first = client.waiting.first, first.due <= now {
      let count = first.bytes.withUnsafeBytes { upgrade.take($0) }
      guard count == first.bytes.count else {
        client.waiting[0].bytes.removeFirst(count)
        return
      }
      client.waiting.removeFirst()
    }
  }
}
