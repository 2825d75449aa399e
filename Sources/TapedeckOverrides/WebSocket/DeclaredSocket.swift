internal import TapedeckHTTP
internal import TapedeckMocking
internal import TapedeckSockets

/// Serves a declared WebSocket to one client. Messages go out in the order in which they are due; while some wait for
/// their time or for room, the client is not read, so that what waits is bounded by one reply.
final class DeclaredSocket: WebSocketEndpoint {
  private enum Step {
    case message(DeclaredMessage, RequestValues, to: WebSocketMessage?), close(DeclaredClose)
  }

  var onRoom: () -> Void = {}
  var reader = WebSocketReader(from: .client, maximumMessageBytes: maximumMessageBytes)
  var sink: (any ResponseSink)?
  var isSinkFull = false
  private let declared: DeclaredWebSocket
  private let handshake: WebSocketHandshake
  private let request: HTTPRequest
  private let components: [String: String]
  private let loop: EventLoop
  private var generator: SplitMix64
  private var timer: LoopTimer?
  private var steps: [Step] = []
  private var isOpen = false

  init(
    _ declared: DeclaredWebSocket, _ handshake: WebSocketHandshake, of request: HTTPRequest,
    _ path: PathPattern, generator: SplitMix64, loop: EventLoop
  ) {
    (self.declared, self.handshake, self.request) = (declared, handshake, request)
    (self.generator, self.loop) = (generator, loop)
    components = path.match(request.path) ?? [:]
  }

  func start(into sink: any ResponseSink) {
    self.sink = sink
    timer = loop.makeTimer { [weak self] in self?.timeCame() }
    isOpen = true
    let subprotocol = handshake.subprotocol(of: declared.subprotocols)
    sink.begin(handshake.opening(subprotocol: subprotocol), framing: .none)
    run(declared.opening, after: nil)
  }

  var wantsMore: Bool { isOpen && steps.isEmpty }

  func received(_ message: WebSocketMessage) {
    if let reply = declared.reply(to: asked(message)) { run(reply, after: message) }
  }

  /// The request with a message as its body, for conditions and templates.
  private func asked(_ message: WebSocketMessage?) -> OverrideRequest {
    var asked = request
    asked.body = message?.bytes ?? []
    return OverrideRequest(asked)
  }

  func resume() {
    isSinkFull = false
    proceed()
    if wantsMore { onRoom() }
  }

  func ended(code: Int, reason: [UInt8]) {
    timer?.cancel()
    steps = []
  }

  /// - Parameter message: the one that is replied to.
  private func run(_ script: DeclaredWebSocket.Script, after message: WebSocketMessage?) {
    let values = RequestValues(request: asked(message), components: components)
    steps =
      script.messages.map { .message($0, values, to: message) } + (script.close.map { [.close($0)] } ?? [])
    awaitNext()
    proceed()
  }

  private func timeCame() {
    sendNext()
    proceed()
    if wantsMore { onRoom() }
  }

  /// Sends until a message has to wait for its time or for room.
  private func proceed() {
    while sink != nil, !isSinkFull, !steps.isEmpty, timer?.isSet == false { sendNext() }
  }

  private func sendNext() {
    guard sink != nil, !steps.isEmpty else { return }
    switch steps.removeFirst() {
    case .message(let message, let values, let asked):
      send(message.rendered(values, to: asked))
      awaitNext()
    case .close(let close): self.close(close.code, Array(close.reason.utf8))
    }
  }

  private func awaitNext() {
    guard sink != nil, case .message(let message, _, _)? = steps.first else { return }
    let pause = message.delay?.nanoseconds(using: &generator) ?? 0
    if pause > 0 { timer?.set(MonotonicTime(nanoseconds: MonotonicTime.now.nanoseconds + pause)) }
  }
}
