internal import TapedeckHTTP
internal import TapedeckMocking
internal import TapedeckSockets

/// The events of a route, with the pauses before them: `events`, `pace`, `open`.
struct DeclaredStream: Sendable {
  static let members = ["events", "pace", "open"]

  private let events: [DeclaredEvent]
  /// The time before each event but the first, unless it has its own.
  private let pace: RuleDelay?
  /// Whether the stream stays open after its last event.
  private let staysOpen: Bool

  /// Reads the members; `nil` if there are no events.
  static func read(
    _ reader: inout RuleReader, _ templates: RuleTemplates
  ) throws(OverrideProblem) -> DeclaredStream? {
    let events = try reader.read("events", DeclaredEvent.list(templates))
    let pace = try reader.read("pace", RuleDelay.init)
    let staysOpen = try reader.bool("open")
    if let events { return DeclaredStream(events: events, pace: pace, staysOpen: staysOpen ?? false) }
    for name in ["pace", "open"] where reader.has(name) { throw reader.problem(name, "needs events") }
    return nil
  }

  /// What is sent for a request. A client that has had a part of the stream, as its `Last-Event-ID` says, gets the rest
  /// (WHATWG HTML §9.2.4).
  private func pieces(
    _ form: EventStreamForm, _ values: RequestValues, _ generator: inout SplitMix64
  ) -> [PacedSource.Piece] {
    var rest = events[...]
    if form == .serverSent, let last = values.request.http.fields.text("last-event-id"), !last.isEmpty,
      let index = events.lastIndex(where: { $0.id == last })
    {
      rest = events[(index + 1)...]
    }
    var pieces: [PacedSource.Piece] = []
    for event in rest {
      let delay = event.delay ?? (pieces.isEmpty ? nil : pace)
      pieces.append(
        PacedSource.Piece(delayNanoseconds: delay?.nanoseconds(using: &generator) ?? 0) {
          event.bytes(form, values)
        })
    }
    return pieces
  }

  func content(
    _ head: HTTPResponseHead, _ values: RequestValues, _ generator: SplitMix64, loop: EventLoop?
  ) -> ServedResponse.Content {
    let form = EventStreamForm(head.fields) ?? .serverSent
    var generator = generator
    let pieces = pieces(form, values, &generator)
    let isBodiless = BodyFraming.hasNoBody(status: head.status, method: values.request.http.method)
    guard let loop, !isBodiless else {
      return .response(
        HTTPResponse(head: head, body: isBodiless ? [] : Array(pieces.map { $0.bytes() }.joined())))
    }
    return .stream(PacedSource(head, pieces, staysOpen: staysOpen, loop: loop))
  }
}

/// Sends pieces, each in a chunk of its own when its time has come.
final class PacedSource: ResponseSource {
  /// A piece, written when it is sent.
  struct Piece {
    let delayNanoseconds: Int64
    let bytes: () -> [UInt8]
  }

  private let head: HTTPResponseHead
  private var pieces: ArraySlice<Piece>
  private let staysOpen: Bool
  private let loop: EventLoop
  private var sink: (any ResponseSink)?
  private var timer: LoopTimer?
  /// When the next piece may be sent.
  private var due = MonotonicTime.now
  private var isSinkFull = false
  private var isSending = false

  init(
    _ head: HTTPResponseHead, _ pieces: [Piece], staysOpen: Bool, loop: EventLoop
  ) {
    self.head = head
    self.pieces = pieces[...]
    self.staysOpen = staysOpen
    self.loop = loop
  }

  func start(into sink: any ResponseSink) {
    self.sink = sink
    timer = loop.makeTimer { [weak self] in self?.send() }
    sink.begin(head, framing: .chunked)
    due = .now
    addDelay()
    send()
  }

  func resume() {
    isSinkFull = false
    send()
  }

  func cancel() {
    timer?.cancel()
    sink = nil
  }

  private func addDelay() {
    due = MonotonicTime(nanoseconds: due.nanoseconds + (pieces.first?.delayNanoseconds ?? 0))
  }

  private func send() {
    guard !isSending else { return }
    isSending = true
    defer { isSending = false }
    while let sink, !isSinkFull, let piece = pieces.first {
      guard due <= .now else {
        timer?.set(due)
        return
      }
      pieces.removeFirst()
      addDelay()
      switch piece.bytes().withUnsafeBytes({ sink.write($0, endsChunk: true) }) {
      case .more: break
      case .wait: isSinkFull = true
      case .gone: return cancel()
      }
    }
    if pieces.isEmpty, let sink, !isSinkFull { finish(sink) }
  }

  private func finish(_ sink: any ResponseSink) {
    if staysOpen { return sink.rest() }
    cancel()
    sink.end(trailers: HTTPFields())
  }
}
