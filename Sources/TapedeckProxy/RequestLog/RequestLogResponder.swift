internal import TapedeckHTTP
internal import TapedeckSockets

/// Keeps every exchange in the session's journal.
final class RequestLogResponder: Responder {
  private let chain: any Responder
  private let journal: RequestLog
  private let rules: LoopCache<Overrides>

  init(before chain: any Responder, _ session: Session) {
    self.chain = chain
    journal = session.journal
    rules = LoopCache(session.overrides)
  }

  func respond(to request: HTTPRequest) throws -> ServedResponse? {
    let arrival = Arrival()
    guard var answer = try chain.respond(to: request) else { return nil }
    switch answer.content {
    case .prepared(let prepared):
      journal.append(arrival.entry(PackedRequest(request), answer, rules.current, .prepared(prepared)))
    case .response(let response):
      journal.append(arrival.entry(PackedRequest(request), answer, rules.current, .response(response)))
    case .stream(let source):
      answer.content = .stream(
        JournaledSource(
          source, request: PackedRequest(request), arrival: arrival, answer: answer, rules: rules.current,
          journal: journal))
    }
    return answer
  }
}

/// When a request came.
private struct Arrival {
  let milliseconds = WallClock.now
  let start = MonotonicTime.now

  func entry(
    _ request: consuming PackedRequest, _ answer: borrowing ServedResponse, _ rules: RulesThen?,
    wasCutShort: Bool = false,
    _ content: RequestLogEntry.Answer
  ) -> RequestLogEntry {
    RequestLogEntry(
      request, startedMilliseconds: milliseconds,
      durationNanoseconds: MonotonicTime.now.nanoseconds(since: start), source: answer.source,
      explanation: answer.explanation, wasCutShort: wasCutShort, rules: rules, content)
  }
}

/// A stream that is kept as it flows, up to a size.
private final class JournaledSource: StreamFilter {
  private static let maximumHeldBytes = 1 << 20

  /// Nil once it is in the journal.
  private var request: PackedRequest?
  private let arrival: Arrival
  private var answer: ServedResponse
  private let rules: RulesThen?
  private let journal: RequestLog
  private var head = HTTPResponseHead(status: 0)
  private var held: [UInt8] = []
  private var size = 0

  init(
    _ source: any ResponseSource, request: consuming PackedRequest, arrival: Arrival, answer: ServedResponse,
    rules: RulesThen?, journal: RequestLog
  ) {
    self.request = consume request
    self.arrival = arrival
    self.answer = answer
    self.rules = rules
    self.journal = journal
    super.init(source)
  }

  private func finish(wasCutShort: Bool, trailers: HTTPFields = HTTPFields()) {
    guard let request = request.take() else { return }
    let response = HTTPResponse(head: head, body: held, trailers: trailers)
    journal.append(
      arrival.entry(
        request, answer, rules, wasCutShort: wasCutShort, .streamed(response, bodyBytes: size)))
  }

  override func begin(_ head: HTTPResponseHead, framing: BodyFraming) {
    self.head = head
    super.begin(head, framing: framing)
  }

  override func write(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) -> SinkDemand {
    size += bytes.count
    held += bytes.prefix(max(0, Self.maximumHeldBytes - held.count))
    return super.write(bytes, endsChunk: endsChunk)
  }

  // The entry is there before the client sees the end, so that who asks next finds it.

  override func end(trailers: HTTPFields) {
    finish(wasCutShort: false, trailers: trailers)
    super.end(trailers: trailers)
  }

  override func fail(_ response: HTTPResponse) {
    if head.status == 0 {
      head = response.head
      held = response.body
      size = response.body.count
    }
    if let failure = response.failure {
      answer.explanation = answer.explanation?.failed(failure) ?? ResponseExplanation(failure: failure)
    }
    finish(wasCutShort: true)
    super.fail(response)
  }

  override func abort(_ end: ConnectionEnd) {
    finish(wasCutShort: true)
    super.abort(end)
  }

  override func cancel() {
    finish(wasCutShort: true)
    super.cancel()
  }
}

extension Overrides: Versioned {
  var version: Int { routes.version &+ patches.version &+ faults.version }

  /// Nil where there are no rules.
  var current: RulesThen? {
    let (routes, patches, faults) = (routes.current, patches.current, faults.current)
    guard routes != nil || patches != nil || faults != nil else { return nil }
    return RulesThen(routes: routes, patches: patches, faults: faults)
  }
}
