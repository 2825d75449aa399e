internal import TapedeckHTTP
internal import TapedeckSockets

extension RequestLog {
  /// Keeps an exchange: at once where the response is in memory, else when its stream is over.
  /// - Parameter decisions: of the links on this request.
  /// - Returns: the response to send.
  func keep(
    _ request: HTTPRequest, _ response: ServedResponse, _ arrival: Arrival, _ decisions: DecisionCollector
  ) -> ServedResponse {
    var exchange = Exchange(source: response.source, arrival: arrival, decisions: decisions)
    switch response.content {
    case .prepared(let prepared): append(exchange.entry(PackedRequest(request), .prepared(prepared)))
    case .response(let content):
      exchange.failure = content.failure
      append(exchange.entry(PackedRequest(request), .response(content)))
    case .stream(let stream):
      var logged = response
      logged.content = .stream(LoggedSource(stream, PackedRequest(request), exchange, log: self))
      return logged
    }
    return response
  }

  /// When a request came.
  struct Arrival {
    fileprivate let milliseconds = WallClock.now
    fileprivate let start = MonotonicTime.now
  }

  /// An exchange on its way into the log.
  fileprivate struct Exchange {
    let source: ServedResponse.Source
    let arrival: Arrival
    let decisions: DecisionCollector
    var failure: ExchangeFailure?

    func entry(
      _ request: consuming PackedRequest, _ content: RequestLogEntry.Content, wasCutShort: Bool = false
    ) -> RequestLogEntry {
      RequestLogEntry(
        request, startedMilliseconds: arrival.milliseconds,
        durationNanoseconds: MonotonicTime.now.nanoseconds(since: arrival.start), source: source,
        decisions: decisions.decisions, failure: failure, wasCutShort: wasCutShort, content)
    }
  }
}

/// A stream that is kept as it flows, up to a size.
private final class LoggedSource: StreamFilter {
  let source: any ResponseSource
  var sink: (any ResponseSink)?
  private static let maximumHeldBytes = 1 << 20

  /// `nil` once the exchange is in the log.
  private var request: PackedRequest?
  private var exchange: RequestLog.Exchange
  private let log: RequestLog
  private var head = HTTPResponseHead(status: 0)
  private var held: [UInt8] = []
  private var size = 0

  init(
    _ source: any ResponseSource, _ request: consuming PackedRequest, _ exchange: RequestLog.Exchange,
    log: RequestLog
  ) {
    self.request = consume request
    self.exchange = exchange
    self.log = log
    self.source = source
  }

  private func finish(wasCutShort: Bool, trailers: HTTPFields = HTTPFields()) {
    guard let request = request.take() else { return }
    let response = HTTPResponse(head: head, body: held, trailers: trailers)
    log.append(exchange.entry(request, .streamed(response, bodyBytes: size), wasCutShort: wasCutShort))
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
    exchange.failure = response.failure
    finish(wasCutShort: true)
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
