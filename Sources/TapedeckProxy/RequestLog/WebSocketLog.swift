internal import Synchronization
internal import TapedeckHTTP
internal import TapedeckRecording
internal import TapedeckSockets

/// What is said over a WebSocket, for the request log. It grows while the connection is open, and is bounded: the oldest
/// messages make room for later ones, and of a long message the beginning is held.
final class WebSocketLog: Sendable {
  /// How the exchange came to its end.
  struct Ending: Sendable {
    let decisions: Decisions
    let failure: ExchangeFailure?
    let wasCutShort: Bool
    let durationNanoseconds: Int64
  }

  private struct State {
    var messages: [ShownWebSocket.Message] = []
    var heldBytes = 0
    var size = 0
    var omitted = 0
    var close: RecordedWebSocket.Close?
    var problem: String?
    var ending: Ending?
  }

  private static let maximumMessages = 2_000
  private static let maximumHeldBytes = 1 << 20
  private static let maximumMessageBytes = 64 << 10
  /// Besides its bytes, about.
  private static let messageOverheadBytes = 96

  private let state = Mutex(State())
  private let budget: RequestLogBudget

  init(_ budget: RequestLogBudget) { self.budget = budget }

  deinit { budget.release(state.withLock { $0.heldBytes }) }

  func add(_ message: RecordedWebSocket.Message) {
    let held = ShownWebSocket.Message(message, limit: Self.maximumMessageBytes)
    let bytes = held.content.bytes.count + Self.messageOverheadBytes
    budget.take(bytes)
    let released = state.withLock { state -> Int in
      state.messages.append(held)
      state.heldBytes += bytes
      state.size += message.bytes.count
      guard
        state.messages.count > Self.maximumMessages || state.heldBytes > Self.maximumHeldBytes
          || budget.isOverdrawn
      else { return 0 }
      // Many at once, since each time moves the rest.
      return Self.dropOldest(max(1, state.messages.count / 4), of: &state)
    }
    budget.release(released)
  }

  private static func dropOldest(_ count: Int, of state: inout State) -> Int {
    let count = min(count, state.messages.count - 1)
    let bytes = state.messages.prefix(count).reduce(0) {
      $0 + $1.content.bytes.count + messageOverheadBytes
    }
    state.messages.removeFirst(count)
    state.omitted += count
    state.heldBytes -= bytes
    return bytes
  }

  /// Notes the first Close frame.
  func note(_ close: RecordedWebSocket.Close) {
    state.withLock { if $0.close == nil { $0.close = close } }
  }

  /// Notes why nothing more is read.
  func note(problem: String) { state.withLock { $0.problem = $0.problem ?? problem } }

  /// The client's leaving after a Close frame cuts nothing short.
  func end(_ ending: (_ isClosed: Bool) -> Ending) {
    state.withLock { if $0.ending == nil { $0.ending = ending($0.close != nil) } }
  }

  /// `nil` while the connection is open.
  var ending: Ending? { state.withLock { $0.ending } }

  /// The sizes of all messages together.
  var size: Int { state.withLock { $0.size } }

  /// Whether every message is held in full, and none will follow.
  var isWhole: Bool {
    state.withLock { state in
      state.ending?.wasCutShort == false && state.omitted == 0 && state.problem == nil
        && state.messages.allSatisfy { !$0.isCut }
    }
  }

  /// As a recording would hold it, as far as it is held.
  var recorded: RecordedWebSocket {
    state.withLock { RecordedWebSocket(messages: $0.messages.map(\.content), close: $0.close) }
  }

  /// The latest messages.
  var shown: ShownWebSocket {
    state.withLock { state in
      let messages = ShownWebSocket.fitting(state.messages.reversed()).reversed()
      return ShownWebSocket(
        messages: Array(messages), omittedBefore: state.omitted + state.messages.count - messages.count,
        omittedAfter: 0, close: state.close.map { .init($0) }, isOpen: state.ending == nil,
        problem: state.problem)
    }
  }
}

/// Reads what both sides of a WebSocket say into the request log. Belongs to the thread of its loop.
final class LoggedWebSocket {
  let log: WebSocketLog
  private var readers: (client: WebSocketReader, server: WebSocketReader)
  private let start: MonotonicTime
  private var isOver = false
  /// A longer message ends the reading.
  private static let maximumMessageBytes = 16 << 20

  init(_ log: WebSocketLog, since start: MonotonicTime) {
    (self.log, self.start) = (log, start)
    readers = (
      WebSocketReader(from: .client, maximumMessageBytes: Self.maximumMessageBytes),
      WebSocketReader(from: .server, maximumMessageBytes: Self.maximumMessageBytes)
    )
  }

  func note(_ bytes: UnsafeRawBufferPointer, from side: WebSocketReader.Side) {
    guard !isOver else { return }
    var offset = 0
    do throws(WebSocketError) {
      while let message = try next(bytes, at: &offset, from: side) { note(message, from: side) }
    } catch {
      isOver = true
      log.note(problem: "what follows is not read: the \(InteractionFormat.name(side)): \(error)")
    }
  }

  private func next(
    _ bytes: UnsafeRawBufferPointer, at offset: inout Int, from side: WebSocketReader.Side
  ) throws(WebSocketError) -> WebSocketMessage? {
    switch side {
    case .client: try readers.client.next(bytes, at: &offset)
    case .server: try readers.server.next(bytes, at: &offset)
    }
  }

  private func note(_ message: WebSocketMessage, from side: WebSocketReader.Side) {
    let at = ChunkLog.milliseconds(since: start)
    switch message {
    case .text(let bytes): log.add(.init(from: side, isText: true, bytes: bytes, atMilliseconds: at))
    case .binary(let bytes): log.add(.init(from: side, isText: false, bytes: bytes, atMilliseconds: at))
    case .close(let code, let reason): log.note(.init(from: side, code: code, reason: reason))
    case .ping, .pong: break
    }
  }
}

/// The client's side of a WebSocket that is logged.
final class LoggedTunnel: TunnelSource {
  private let tunnel: any TunnelSource
  private let socket: LoggedWebSocket
  /// How many of the client's next bytes were read before there was room for them.
  private var noted = 0

  init(_ tunnel: any TunnelSource, _ socket: LoggedWebSocket) {
    (self.tunnel, self.socket) = (tunnel, socket)
  }

  var onRoom: () -> Void {
    get { tunnel.onRoom }
    set { tunnel.onRoom = newValue }
  }

  func take(_ bytes: UnsafeRawBufferPointer) -> Int {
    if noted < bytes.count {
      socket.note(UnsafeRawBufferPointer(rebasing: bytes[noted...]), from: .client)
      noted = bytes.count
    }
    let count = tunnel.take(bytes)
    noted -= count
    return count
  }

  func start(into sink: any ResponseSink) { tunnel.start(into: sink) }
  func resume() { tunnel.resume() }
  func cancel() { tunnel.cancel() }
  func clientLeft() { tunnel.clientLeft() }
  func clientFinished() { tunnel.clientFinished() }
}
