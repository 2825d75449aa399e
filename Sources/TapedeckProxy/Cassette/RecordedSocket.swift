internal import TapedeckHTTP
internal import TapedeckRecording
internal import TapedeckSockets

/// Replays a recorded WebSocket (RFC 6455): the server's messages in order, each run of them after the client message
/// that preceded it. A client message that differs from the recorded one is a miss: it closes with 1008, and says why.
final class RecordedSocket: TunnelSource {
  var onRoom: () -> Void = {}
  private let head: HTTPResponseHead
  private let recorded: RecordedWebSocket
  private let matcher: RequestMatcher
  private let pace: ReplayPace
  private let onCut: CutPolicy
  private let loop: EventLoop
  /// Told which recorded message was expected, if any, and what came.
  private let onMiss: (_ number: Int, _ expected: [UInt8]?, _ received: [UInt8]) -> Void
  private var reader: WebSocketReader
  private var sink: (any ResponseSink)?
  private var timer: LoopTimer?
  private var isSinkFull = false
  /// The server's next message.
  private var next = 0
  /// The client's next message; the server's before it may be sent.
  private var expected = 0
  /// How many messages the client has sent.
  private var count = 0
  /// When the client's last message came, and when it was recorded.
  private var since: (now: MonotonicTime, recorded: Double)

  private static let maximumMessageBytes = 64 << 20
  private static let latestNanoseconds = 86_400e9

  init(
    _ head: HTTPResponseHead, _ recorded: RecordedWebSocket, matcher: RequestMatcher, pace: ReplayPace,
    onCut: CutPolicy, loop: EventLoop, onMiss: @escaping (Int, [UInt8]?, [UInt8]) -> Void
  ) {
    (self.head, self.recorded, self.matcher) = (head, recorded, matcher)
    (self.pace, self.onCut, self.loop, self.onMiss) = (pace, onCut, loop, onMiss)
    reader = WebSocketReader(from: .client, maximumMessageBytes: Self.maximumMessageBytes)
    since = (.now, 0)
    skipToClient()
  }

  // MARK: As a source

  func start(into sink: any ResponseSink) {
    self.sink = sink
    timer = loop.makeTimer { [weak self] in self?.goOn() }
    since = (.now, 0)
    sink.begin(head, framing: .none)
    sendDue()
  }

  func cancel() {
    timer?.cancel()
    sink = nil
  }

  func resume() { timer?.set(loop.now) }

  func clientFinished() { end() }

  private func end() {
    guard let sink else { return }
    cancel()
    sink.end(trailers: HTTPFields())
  }

  // MARK: To the client

  /// Something is due, or the client has room again.
  private func goOn() {
    isSinkFull = false
    sendDue()
    if !isSinkFull { onRoom() }
  }

  /// Sends what is due: up to the client's next message.
  private func sendDue() {
    while sink != nil, !isSinkFull, next < expected {
      let message = recorded.messages[next]
      guard message.from == .server else {
        next += 1
        continue
      }
      let due = dueNanoseconds(message)
      guard due <= MonotonicTime.now.nanoseconds else {
        timer?.set(MonotonicTime(nanoseconds: due))
        return
      }
      next += 1
      send(message.content)
    }
    if next == recorded.messages.count, !isSinkFull { finish() }
  }

  private func dueNanoseconds(_ message: RecordedWebSocket.Message) -> Int64 {
    guard case .recorded(let times) = pace else { return 0 }
    let wait = max(0, message.atMilliseconds - since.recorded) / times * 1_000_000
    return since.now.nanoseconds + Int64(min(wait, Self.latestNanoseconds))
  }

  /// Everything was said. What the client is to close, and what ended without a word, stays open.
  private func finish() {
    if let close = recorded.close {
      if close.from == .server { self.close(close.code, close.reason) }
    } else if onCut == .close {
      self.close(1000, [])
    }
  }

  private func send(_ message: WebSocketMessage) {
    guard let sink else { return }
    let bytes = message.frame()
    switch bytes.withUnsafeBytes({ sink.write($0, endsChunk: true) }) {
    case .more: break
    case .wait: isSinkFull = true
    case .gone: cancel()
    }
  }

  /// The server may end the connection as soon as it has said so (RFC 6455 §7.1.1).
  private func close(_ code: Int?, _ reason: [UInt8]) {
    send(.close(code: code, reason: reason))
    end()
  }

  // MARK: From the client

  func take(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard !isSinkFull else { return 0 }
    var offset = 0
    do throws(WebSocketError) {
      while sink != nil, let message = try reader.next(bytes, at: &offset) { receive(message) }
    } catch {
      close(error.code, Array("\(error)".utf8))
    }
    return bytes.count
  }

  private func receive(_ message: WebSocketMessage) {
    switch message {
    case .text(let bytes): compare(bytes, isText: true)
    case .binary(let bytes): compare(bytes, isText: false)
    case .ping(let bytes): send(.pong(bytes))
    case .pong: break
    case .close(let code, let reason): close(code, code == nil ? [] : reason)
    }
  }

  private func compare(_ bytes: [UInt8], isText: Bool) {
    count += 1
    let wanted = expected < recorded.messages.count ? recorded.messages[expected] : nil
    guard let wanted, wanted.isText == isText,
      wanted.bytes == bytes || matcher.compared(message: wanted.bytes) == matcher.compared(message: bytes)
    else {
      onMiss(count, wanted?.bytes, matcher.shown(message: bytes))
      let why = wanted == nil ? "no further message was recorded" : "it differs from the recorded one"
      return close(1008, Array("message \(count) of the client: \(why) (Tapedeck)".utf8))
    }
    since = (.now, wanted.atMilliseconds)
    expected += 1
    skipToClient()
    sendDue()
  }

  private func skipToClient() {
    while expected < recorded.messages.count, recorded.messages[expected].from == .server { expected += 1 }
  }
}
