internal import TapedeckHTTP
internal import TapedeckRecording
internal import TapedeckSockets

/// Replays a recorded WebSocket (RFC 6455): the server's messages in order, each run of them after the client message
/// that preceded it. A client message that differs from the recorded one is a miss: it closes with 1008, and says why.
final class RecordedSocket: WebSocketEndpoint {
  var onRoom: () -> Void = {}
  private let head: HTTPResponseHead
  private let recorded: RecordedWebSocket
  private let matcher: RequestMatcher
  private let pace: ReplayPace
  private let onCut: CutPolicy
  private let loop: EventLoop
  /// Told which recorded message was expected, if any, and what came.
  private let onMiss: (_ number: Int, _ expected: [UInt8]?, _ received: [UInt8]) -> Void
  var reader: WebSocketReader
  var sink: (any ResponseSink)?
  private var timer: LoopTimer?
  var isSinkFull = false
  /// The server's next message.
  private var next = 0
  /// The client's next message; the server's before it may be sent.
  private var expected = 0
  /// How many messages the client has sent.
  private var count = 0
  /// When the client's last message came, and when it was recorded.
  private var since: (now: MonotonicTime, recorded: Double)

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

  func resume() { timer?.set(loop.now) }

  func ended(code: Int, reason: [UInt8]) { timer?.cancel() }

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

  // MARK: From the client

  func received(_ message: WebSocketMessage) {
    switch message {
    case .text(let bytes): compare(bytes, isText: true)
    case .binary(let bytes): compare(bytes, isText: false)
    case .ping, .pong, .close: break
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
