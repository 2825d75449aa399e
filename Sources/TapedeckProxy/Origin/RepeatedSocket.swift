internal import TapedeckHTTP
internal import TapedeckRecording
internal import TapedeckSockets
internal import TapedeckUpstream

/// Says to an origin what a recorded client said over a WebSocket, and gathers what the origin says now.
///
/// A message of the client is sent when as many of the server have come as there were before it in the recording, or when
/// the origin has been silent for longer than it ever was. At the end the client closes, unless the server had.
final class RepeatedSocket: ResponseSink {
  private static let patienceMilliseconds = 2_000.0
  private static let maximumBytes = 64 << 20

  private let recorded: RecordedWebSocket
  private let exchange: UpstreamExchange
  /// Takes a response that opens no WebSocket.
  private let collector: ResponseCollector
  private let onEnd: (UpstreamBatch.Outcome) -> Void
  private let silenceMilliseconds: Int
  private let loop: EventLoop
  private var reader = WebSocketReader(from: .server, maximumMessageBytes: maximumBytes)
  private var head: HTTPResponseHead?
  private var heard = RecordedWebSocket()
  private var heardBytes = 0
  private var heardCount = 0
  /// The next recorded message, and how many of the server come before it.
  private var next = 0
  private var awaited = 0
  private var unsent: [UInt8] = []
  private var timer: LoopTimer?
  private var hasEnded = false

  init(
    _ recorded: RecordedWebSocket, over exchange: UpstreamExchange, else collector: ResponseCollector,
    loop: EventLoop, onEnd: @escaping (UpstreamBatch.Outcome) -> Void
  ) {
    (self.recorded, self.exchange, self.collector, self.onEnd) = (recorded, exchange, collector, onEnd)
    let times = recorded.messages.map(\.atMilliseconds)
    let longest = zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? 0
    silenceMilliseconds = Int(min(Self.patienceMilliseconds + max(0, longest), 86_400_000))
    self.loop = loop
    timer = loop.makeTimer { [weak self] in self?.fellSilent() }
  }

  // MARK: To the origin

  /// Says what is due, and ends when everything was said and heard.
  private func goOn() {
    while next < recorded.messages.count, !hasEnded {
      let message = recorded.messages[next]
      if message.from == .server {
        awaited += 1
      } else {
        guard heardCount >= awaited else { return awaitMore() }
        heard.messages.append(message)
        send(message.content)
      }
      next += 1
    }
    guard heardCount >= awaited, recorded.close?.from != .server else { return awaitMore() }
    send(.close(code: 1000, reason: []))
    end()
  }

  private func awaitMore() { timer?.set(loop.now.adding(milliseconds: silenceMilliseconds)) }

  private func fellSilent() {
    guard next < recorded.messages.count else { return end() }
    awaited = heardCount
    goOn()
  }

  /// RFC 6455 §5.3: masked, by a value that nobody has to guess here.
  private func send(_ message: WebSocketMessage) {
    unsent += message.frame(mask: [0x5A, 0xA5, 0x3C, 0xC3])
    flush()
  }

  private func flush() {
    guard !unsent.isEmpty, !hasEnded else { return }
    let count = unsent.withUnsafeBytes { exchange.take($0) }
    unsent.removeFirst(count)
  }

  // MARK: From the origin

  func informational(_ head: HTTPResponseHead) {}

  func begin(_ head: HTTPResponseHead, framing: BodyFraming) {
    guard head.status == 101 else { return collector.begin(head, framing: framing) }
    self.head = head
    self.head?.fields.removeAll("sec-websocket-accept")
    exchange.onRoom = { [weak self] in self?.flush() }
    goOn()
  }

  func write(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) -> SinkDemand {
    guard head != nil else { return collector.write(bytes, endsChunk: endsChunk) }
    heardBytes += bytes.count
    guard heardBytes <= Self.maximumBytes else {
      fail("The origin said more than \(Self.maximumBytes) bytes.")
      return .gone
    }
    var offset = 0
    do throws(WebSocketError) {
      while !hasEnded, let message = try reader.next(bytes, at: &offset) { take(message) }
    } catch {
      fail("The origin broke RFC 6455: \(error).")
    }
    return hasEnded ? .gone : .more
  }

  private func take(_ message: WebSocketMessage) {
    switch message {
    case .text(let bytes): add(.init(from: .server, isText: true, bytes: bytes, atMilliseconds: 0))
    case .binary(let bytes): add(.init(from: .server, isText: false, bytes: bytes, atMilliseconds: 0))
    case .ping(let payload): send(.pong(payload))
    case .pong: break
    case .close(let code, let reason):
      heard.close = .init(from: .server, code: code, reason: reason)
      end()
    }
  }

  private func add(_ message: RecordedWebSocket.Message) {
    heard.messages.append(message)
    heardCount += 1
    goOn()
  }

  func rest() { head == nil ? collector.rest() : end() }
  func end(trailers: HTTPFields) { head == nil ? collector.end(trailers: trailers) : end() }
  func fail(_ response: HTTPResponse) { head == nil ? collector.fail(response) : end() }
  func abort(_ connectionEnd: ConnectionEnd) { head == nil ? collector.abort(connectionEnd) : end() }

  // MARK: The end

  /// There was no time for more: what has come by now counts.
  func timeOut() { head == nil ? collector.end(.timedOut) : end() }

  private func end() {
    guard let head else { return }
    var response = RecordedResponse(head: head, body: .bytes([]))
    response.webSocket = heard
    finish(.response(response))
  }

  private func fail(_ reason: String) { finish(.failed(reason)) }

  private func finish(_ outcome: UpstreamBatch.Outcome) {
    guard !hasEnded else { return }
    hasEnded = true
    timer?.cancel()
    exchange.cancel()
    onEnd(outcome)
  }
}
