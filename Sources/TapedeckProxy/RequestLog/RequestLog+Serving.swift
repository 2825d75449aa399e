internal import TapedeckHTTP
internal import TapedeckSockets

extension RequestLog {
  /// Keeps an exchange: at once where the response is in memory, when a WebSocket opens, else when its stream is over.
  /// - Returns: the response to send.
  func keep(
    _ request: HTTPRequest, _ response: ServedResponse, _ arrival: Arrival, _ decisions: DecisionCollector
  ) -> ServedResponse {
    switch response.content {
    case .prepared(let prepared):
      append(
        RequestLogEntry(request, response.source, arrival, decisions.decisions, nil, .prepared(prepared)))
    case .response(let content):
      append(
        RequestLogEntry(
          request, response.source, arrival, decisions.decisions, content.failure,
          .response(content, bodyBytes: content.body.count)))
    case .stream(let stream):
      var logged = response
      let source = LoggedSource(stream, since: arrival.start) {
        [self] failure, wasCutShort, content, chunks in
        append(
          RequestLogEntry(
            request, response.source, arrival, decisions.decisions, failure, wasCutShort: wasCutShort,
            content, chunks: chunks))
      }
      logged.content = .stream(source)
      if let upgrade = response.upgrade {
        let socket = LoggedWebSocket(WebSocketLog(budget), since: arrival.start)
        logged.upgrade = LoggedTunnel(upgrade, socket)
        source.webSocket = LoggedSource.WebSocket(
          socket: socket,
          onOpen: { [self] content in
            append(
              RequestLogEntry(
                request, response.source, arrival, decisions.decisions, nil, content, webSocket: socket.log))
          },
          onEnd: { failure, wasCutShort in
            socket.log.end { isClosed in
              WebSocketLog.Ending(
                decisions: decisions.decisions, failure: failure, wasCutShort: wasCutShort && !isClosed,
                durationNanoseconds: MonotonicTime.now.nanoseconds(since: arrival.start))
            }
          })
      }
      return logged
    }
    return response
  }

  /// When a request came.
  struct Arrival {
    let milliseconds = WallClock.now
    let start = MonotonicTime.now
  }
}

/// A stream that is kept as it flows, up to a size.
private final class LoggedSource: StreamFilter {
  let source: any ResponseSource
  var sink: (any ResponseSink)?
  private static let maximumHeldBytes = 1 << 20

  /// What becomes of the stream if it opens a WebSocket.
  struct WebSocket {
    let socket: LoggedWebSocket
    /// Puts the exchange into the log.
    let onOpen: (RequestLogEntry.Content) -> Void
    let onEnd: (ExchangeFailure?, _ wasCutShort: Bool) -> Void
  }

  var webSocket: WebSocket?
  /// Puts the exchange into the log; `nil` once it is there.
  private var log: Log?
  typealias Log = (
    ExchangeFailure?, _ wasCutShort: Bool, RequestLogEntry.Content, [ShownMessage.Chunk]
  ) -> Void
  private let start: MonotonicTime
  private static let maximumChunks = 1024
  private var head = HTTPResponseHead(status: 0)
  private var held: [UInt8] = []
  private var chunks: [ShownMessage.Chunk] = []
  private var size = 0

  init(_ source: any ResponseSource, since start: MonotonicTime, log: @escaping Log) {
    self.log = log
    self.start = start
    self.source = source
  }

  private func finish(
    wasCutShort: Bool, trailers: HTTPFields = HTTPFields(), failure: ExchangeFailure? = nil
  ) {
    guard let log = log.take() else {
      webSocket?.onEnd(failure, wasCutShort)
      return
    }
    let response = HTTPResponse(head: head, body: held, trailers: trailers)
    log(failure, wasCutShort, .response(response, bodyBytes: size), chunks.count > 1 ? chunks : [])
  }

  func begin(_ head: HTTPResponseHead, framing: BodyFraming) {
    self.head = head
    if head.status == 101, let webSocket {
      log = nil
      webSocket.onOpen(.response(HTTPResponse(head: head), bodyBytes: 0))
    } else {
      webSocket = nil
    }
    sink?.begin(head, framing: framing)
  }

  func write(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) -> SinkDemand {
    if let webSocket {
      webSocket.socket.note(bytes, from: .server)
      return pass(bytes, endsChunk: endsChunk)
    }
    size += bytes.count
    if chunks.count < Self.maximumChunks {
      let milliseconds = Double(MonotonicTime.now.nanoseconds(since: start) / 1000) / 1000
      chunks.append(ShownMessage.Chunk(bytes: bytes.count, milliseconds: milliseconds))
    }
    if head.status != 101 { held += bytes.prefix(max(0, Self.maximumHeldBytes - held.count)) }
    return pass(bytes, endsChunk: endsChunk)
  }

  // The entry is there before the client sees the end, so that whoever asks next finds it.

  func end(trailers: HTTPFields) {
    finish(wasCutShort: false, trailers: trailers)
    finish { $0.end(trailers: trailers) }
  }

  func fail(_ response: HTTPResponse) {
    if head.status == 0 {
      head = response.head
      held = response.body
      size = response.body.count
    }
    finish(wasCutShort: true, failure: response.failure)
    finish { $0.fail(response) }
  }

  func abort(_ end: ConnectionEnd) {
    finish(wasCutShort: true)
    finish { $0.abort(end) }
  }

  func cancel() {
    finish(wasCutShort: true)
    cancelSource()
  }
}
