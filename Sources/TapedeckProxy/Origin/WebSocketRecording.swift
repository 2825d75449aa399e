internal import TapedeckHTTP
internal import TapedeckRecording
internal import TapedeckSockets

/// What is said over a WebSocket, read while it passes through. Each message is in the journal before its last byte is
/// passed on. A WebSocket that breaks the protocol, or that is too large, is not recorded, and that is told.
struct WebSocketRecording {
  private let request: HTTPRequest
  private let cassette: InsertedCassette
  private let arrival: Int
  private let start: MonotonicTime?
  private var readers: (client: WebSocketReader, server: WebSocketReader)
  private var isClosed = false
  private var size = 0
  /// Whether nothing more is recorded.
  private var isOver = false

  init(of request: HTTPRequest, arrival: Int, since start: MonotonicTime?, _ cassette: InsertedCassette) {
    (self.request, self.arrival, self.start, self.cassette) = (request, arrival, start, cassette)
    let limit = min(cassette.maxRecordedBodyBytes, CassetteRecorder.maximumWebSocketBytes)
    readers = (
      WebSocketReader(from: .client, maximumMessageBytes: limit),
      WebSocketReader(from: .server, maximumMessageBytes: limit)
    )
  }

  /// Records what these bytes complete.
  mutating func note(_ bytes: UnsafeRawBufferPointer, from side: WebSocketReader.Side) {
    guard !isOver else { return }
    var said = RecordedWebSocket()
    var offset = 0
    do throws(WebSocketError) {
      while let message = try next(bytes, at: &offset, from: side) { add(message, from: side, to: &said) }
    } catch {
      return drop(because: error.code == 1009 ? "it is too large" : "its \(side) broke RFC 6455: \(error)")
    }
    guard !said.messages.isEmpty || said.close != nil else { return }
    size += cassette.record(said, of: arrival)
    if size > min(cassette.maxRecordedBodyBytes, CassetteRecorder.maximumWebSocketBytes) {
      drop(because: "it is too large")
    }
  }

  private mutating func next(
    _ bytes: UnsafeRawBufferPointer, at offset: inout Int, from side: WebSocketReader.Side
  ) throws(WebSocketError) -> WebSocketMessage? {
    switch side {
    case .client: try readers.client.next(bytes, at: &offset)
    case .server: try readers.server.next(bytes, at: &offset)
    }
  }

  private mutating func add(
    _ message: WebSocketMessage, from side: WebSocketReader.Side, to said: inout RecordedWebSocket
  ) {
    let at = ChunkLog.milliseconds(since: start)
    switch message {
    case .text(let bytes):
      said.messages.append(.init(from: side, isText: true, bytes: bytes, atMilliseconds: at))
    case .binary(let bytes):
      said.messages.append(.init(from: side, isText: false, bytes: bytes, atMilliseconds: at))
    case .close(let code, let reason) where !isClosed:
      isClosed = true
      said.close = .init(from: side, code: code, reason: reason)
    case .ping, .pong, .close: break
    }
  }

  private mutating func drop(because reason: String) {
    isOver = true
    cassette.drop(webSocket: request, of: arrival, because: reason)
  }
}
