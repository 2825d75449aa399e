internal import TapedeckHTTP
internal import TapedeckSockets

/// Keeps every exchange in the session's journal.
final class JournalingResponder: Responder {
  private let chain: any Responder
  private let journal: RequestJournal
  private let overrides: Overrides

  init(before chain: any Responder, _ session: Session) {
    self.chain = chain
    journal = session.journal
    overrides = session.overrides
  }

  func respond(to request: HTTPRequest) throws -> HTTPAnswer? {
    let arrival = Arrival(request)
    guard var answer = try chain.respond(to: request) else { return nil }
    switch answer.content {
    case .prepared(let prepared): journal.append(arrival.entry(answer, overrides, .prepared(prepared)))
    case .response(let response): journal.append(arrival.entry(answer, overrides, .response(response)))
    case .stream(let source):
      answer.content = .stream(
        JournaledSource(source, arrival: arrival, answer: answer, rules: overrides.rulesNow, journal: journal)
      )
    }
    return answer
  }
}

/// A request, and when it came.
private struct Arrival {
  let request: HTTPRequest
  let milliseconds = WallClock.now
  let start = MonotonicTime.now

  init(_ request: HTTPRequest) { self.request = request }

  func entry(_ answer: HTTPAnswer, _ overrides: Overrides, _ content: JournalEntry.Answer) -> JournalEntry {
    entry(answer, rules: overrides.rulesNow, wasCutShort: false, content)
  }

  func entry(
    _ answer: HTTPAnswer, rules: RulesThen?, wasCutShort: Bool, _ content: JournalEntry.Answer
  ) -> JournalEntry {
    JournalEntry(
      request, startedMilliseconds: milliseconds,
      durationNanoseconds: MonotonicTime.now.nanoseconds(since: start), source: answer.source,
      explanation: answer.explanation, wasCutShort: wasCutShort, rules: rules, content)
  }
}

/// A stream that is kept as it flows, up to a size.
private final class JournaledSource: StreamFilter {
  private static let maximumHeldBytes = 1 << 20

  private let arrival: Arrival
  private let answer: HTTPAnswer
  private let rules: RulesThen?
  private let journal: RequestJournal
  private var head = HTTPResponseHead(status: 0)
  private var held: [UInt8] = []
  private var size = 0
  private var isOver = false

  init(
    _ source: any ResponseSource, arrival: Arrival, answer: HTTPAnswer, rules: RulesThen?,
    journal: RequestJournal
  ) {
    self.arrival = arrival
    self.answer = answer
    self.rules = rules
    self.journal = journal
    super.init(source)
  }

  private func finish(wasCutShort: Bool, trailers: HTTPFields = HTTPFields()) {
    guard !isOver else { return }
    isOver = true
    let response = HTTPResponse(head: head, body: held, trailers: trailers)
    journal.append(
      arrival.entry(
        answer, rules: rules, wasCutShort: wasCutShort, .streamed(response, bodyBytes: size)))
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

extension Overrides {
  /// Nil where there are no rules.
  var rulesNow: RulesThen? {
    guard !routes.isEmpty || !patches.isEmpty || !faults.isEmpty else { return nil }
    return RulesThen(routes: routes.table, patches: patches.table, faults: faults.table)
  }
}
