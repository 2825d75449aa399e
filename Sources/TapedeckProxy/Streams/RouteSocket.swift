internal import Synchronization
internal import TapedeckHTTP
internal import TapedeckMocking
internal import TapedeckSockets

/// A WebSocket that a route's handler serves, in a task that comes back to the loop through its mailbox.
///
/// The client's messages wait here until the handler asks for them; once they hold `heldBytes`, the client is not read.
/// What the handler sends is written at once, and the handler goes on when the client has room again. The router's
/// middleware sees the response that opens the WebSocket, and may refuse it.
final class RouteSocket: WebSocketEndpoint {
  /// nginx holds as much of a WebSocket by default (`proxy_buffer_size`), Node's ws 16 KiB.
  private static let heldBytes = 64 << 10

  var onRoom: () -> Void = {}
  var reader = WebSocketReader(from: .client, maximumMessageBytes: maximumMessageBytes)
  var sink: (any ResponseSink)?
  var isSinkFull = false
  private let match: RouteMatch
  private let route: WebSocketRoute
  private let handshake: WebSocketHandshake
  private let loop: EventLoop
  private var timer: LoopTimer?
  private var isOpen = false
  private var messages: [WebSocketMessage] = []
  private var messageBytes = 0
  /// Those who wait for a message.
  private var receivers: [Reply<WebSocketMessage?>] = []
  /// Those who wait for room.
  private var senders: [Reply<Bool>] = []
  private let outcome = Outcome()

  init(_ match: RouteMatch, _ route: WebSocketRoute, _ handshake: WebSocketHandshake, loop: EventLoop) {
    (self.match, self.route, self.handshake, self.loop) = (match, route, handshake, loop)
  }

  func start(into sink: any ResponseSink) {
    self.sink = sink
    guard match.latencyNanoseconds > 0 else { return respond() }
    let timer = loop.makeTimer { [weak self] in self?.respond() }
    timer.set(MonotonicTime(nanoseconds: MonotonicTime.now.nanoseconds + match.latencyNanoseconds))
    self.timer = timer
  }

  // MARK: Opening

  private func respond() {
    Self.serve(match, route, Transport(home: LoopBound(self, on: loop), outcome: outcome))
  }

  private static func serve(_ match: RouteMatch, _ route: WebSocketRoute, _ transport: Transport) {
    let home = transport.home
    Task {
      let response = await match.response(next: nil)
      home.post { $0.open(response) }
      guard let head = response.opening else { return }
      let subprotocol = head.fields.text("sec-websocket-protocol")
      let socket = WebSocket(match.request, subprotocol: subprotocol, transport)
      do {
        try await route.handler(socket)
        home.post { $0.close(1000, []) }
      } catch let closed as WebSocket.Closed where socket.closed == closed {
        // The handler learnt that the client was gone, as handlers do.
      } catch {
        home.post { $0.fail("the handler of \(match.routeDescription) failed: \(error)") }
      }
    }
  }

  private func open(_ response: RouteResponse) {
    guard let sink else { return }
    guard let head = response.opening else {
      self.sink = nil
      ended(code: 1006, reason: [])
      return refuse(response, into: sink)
    }
    isOpen = true
    sink.begin(handshake.opening(head), framing: .none)
  }

  private func refuse(_ response: RouteResponse, into sink: any ResponseSink) {
    switch response {
    case .response(let response): response.send(into: sink, to: match.request.method)
    case .stream(let head, let stream):
      StreamedBody(stream, head: head, to: match.request.method, loop: loop).start(into: sink)
    case .passthrough:
      HTTPResponse.problem(
        501, "middleware passed a WebSocket on to what is behind the router, which is not possible"
      ).send(into: sink, to: match.request.method)
    }
  }

  /// The handler failed, which the client learns as 1011 and the log in words.
  private func fail(_ problem: String) {
    guard let last = sink else { return }
    send(.close(code: 1011, reason: Array(problem.utf8)))
    guard sink != nil else { return }
    sink = nil
    ended(code: 1011, reason: [])
    last.fail(.problem(500, problem, cause: "proxy_internal_error"))
  }

  // MARK: The client

  var wantsMore: Bool { isOpen && messageBytes < Self.heldBytes }

  func received(_ message: WebSocketMessage) {
    if !receivers.isEmpty { return receivers.removeFirst().give(message) }
    messages.append(message)
    messageBytes += message.heldBytes
  }

  func resume() {
    isSinkFull = false
    let waiting = senders
    senders = []
    for sender in waiting { sender.give(true) }
    onRoom()
  }

  func ended(code: Int, reason: [UInt8]) {
    timer?.cancel()
    outcome.set(WebSocket.Closed(code: code, reason: reason))
    let (waiting, reading) = (senders, receivers)
    (senders, receivers) = ([], [])
    for sender in waiting { sender.give(false) }
    for receiver in reading { receiver.give(nil) }
  }

  // MARK: The handler

  fileprivate func give(_ reply: Reply<WebSocketMessage?>) {
    guard !messages.isEmpty else {
      if sink == nil { reply.give(nil) } else { receivers.append(reply) }
      return
    }
    let message = messages.removeFirst()
    let wasFull = !wantsMore
    messageBytes -= message.heldBytes
    reply.give(message)
    if wasFull, wantsMore, sink != nil { onRoom() }
  }

  fileprivate func send(_ message: WebSocketMessage, _ reply: Reply<Bool>) {
    send(message)
    if sink == nil { return reply.give(false) }
    if isSinkFull { senders.append(reply) } else { reply.give(true) }
  }
}

extension WebSocketMessage {
  /// What a message counts while it waits, so that empty ones are bounded too.
  fileprivate var heldBytes: Int {
    switch self {
    case .text(let bytes), .binary(let bytes): bytes.count + 64
    case .ping, .pong, .close: 64
    }
  }
}

extension RouteResponse {
  /// The head that opens a WebSocket; `nil` for any other response.
  fileprivate var opening: HTTPResponseHead? {
    guard case .response(let response) = self, response.head.status == 101 else { return nil }
    return response.head
  }
}

/// How a WebSocket ended, once it has.
private final class Outcome: Sendable {
  private let closed = Mutex<WebSocket.Closed?>(nil)

  var value: WebSocket.Closed? { closed.withLock { $0 } }

  func set(_ value: WebSocket.Closed) { closed.withLock { $0 = $0 ?? value } }
}

/// What a handler's task holds of its WebSocket.
private struct Transport: WebSocketTransport {
  let home: LoopBound<RouteSocket>
  let outcome: Outcome

  var closed: WebSocket.Closed? { outcome.value }

  func send(_ message: WebSocketMessage) async -> WebSocket.Closed? {
    let home = home
    let isSent = await Reply.value(onCancel: false) { reply in home.post { $0.send(message, reply) } }
    return isSent ? nil : outcome.value ?? WebSocket.Closed(code: 1006, reason: [])
  }

  func receive() async -> WebSocketMessage? {
    let home = home
    return await Reply<WebSocketMessage?>.value(onCancel: nil) { reply in home.post { $0.give(reply) } }
  }

  func close(_ code: Int, _ reason: [UInt8]) async {
    let home = home
    await Reply.value(onCancel: ()) { reply in
      home.post {
        $0.close(code, reason)
        reply.give(())
      }
    }
  }
}
