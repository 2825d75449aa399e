internal import TapedeckHTTP
internal import TapedeckSockets

extension RequestLog {
  /// Keeps an exchange: at once where the response is in memory, else when its stream is over.
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
      logged.content = .stream(
        LoggedSource(
          stream,
          log: { [self] failure, wasCutShort, content in
            append(
              RequestLogEntry(
                request, response.source, arrival, decisions.decisions, failure, wasCutShort: wasCutShort,
                content))
          }))
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

  /// Puts the exchange into the log; `nil` once it has.
  private var log: ((ExchangeFailure?, _ wasCutShort: Bool, RequestLogEntry.Content) -> Void)?
  private var head = HTTPResponseHead(status: 0)
  private var held: [UInt8] = []
  private var size = 0

  init(
    _ source: any ResponseSource, log: @escaping (ExchangeFailure?, Bool, RequestLogEntry.Content) -> Void
  ) {
    self.log = log
    self.source = source
  }

  private func finish(
    wasCutShort: Bool, trailers: HTTPFields = HTTPFields(), failure: ExchangeFailure? = nil
  ) {
    guard let log = log.take() else { return }
    let response = HTTPResponse(head: head, body: held, trailers: trailers)
    log(failure, wasCutShort, .response(response, bodyBytes: size))
  }

  func begin(_ head: HTTPResponseHead, framing: BodyFraming) {
    self.head = head
    sink?.begin(head, framing: framing)
  }

  func write(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) -> SinkDemand {
    size += bytes.count
    held += bytes.prefix(max(0, Self.maximumHeldBytes - held.count))
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
