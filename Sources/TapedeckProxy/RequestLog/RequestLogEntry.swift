internal import Synchronization
public import TapedeckHTTP
public import TapedeckRecording
internal import TapedeckSockets

/// A request, its response, and what each link of the chain decided.
public final class RequestLogEntry: Sendable {
  /// Counts the requests of a session, from 1. Known once the entry is in the log.
  public var number: Int { place.load(ordering: .relaxed) }
  private let place = Atomic<Int>(0)
  /// Counts the requests of all sessions, from 1. Known once the entry is in the log.
  public var id: Int { order.load(ordering: .relaxed) }
  private let order = Atomic<Int>(0)
  /// As it came, without what named its session.
  public let request: HTTPRequest
  /// The origin that the client named, as clients of a forward proxy do: `https://api.example.com`.
  public var origin: String? { request.namesOrigin ? request.origin?.description : nil }
  /// When it had arrived, in milliseconds since 1970 UTC.
  public let startedMilliseconds: Int
  /// The same for people, as RFC 3339 writes it.
  public var started: String { Timestamp.text(milliseconds: startedMilliseconds) }
  /// To the end of the response leaving the chain.
  public var durationNanoseconds: Int64 { ending?.durationNanoseconds ?? loggedNanoseconds }
  /// To its being logged, which is the opening of a WebSocket.
  private let loggedNanoseconds: Int64
  public let source: ServedResponse.Source
  /// What the links of the chain decided.
  package var decisions: Decisions { ending?.decisions ?? loggedDecisions }
  private let loggedDecisions: Decisions
  /// Why the exchange failed, where it did.
  package var failure: ExchangeFailure? { ending?.failure ?? loggedFailure }
  private let loggedFailure: ExchangeFailure?
  /// Whether the response broke off, or the client left before its end.
  public var wasCutShort: Bool { ending?.wasCutShort ?? wasLoggedCutShort }
  private let wasLoggedCutShort: Bool
  private let content: Content
  /// The pieces of a streamed response; empty if it came at once.
  let chunks: [ShownMessage.Chunk]
  /// What was said since; `nil` unless the response opened a WebSocket.
  let webSocket: WebSocketLog?
  /// How that came to its end.
  private var ending: WebSocketLog.Ending? { webSocket?.ending }
  /// What it takes in memory, about.
  let bytes: Int

  enum Content: Sendable {
    case prepared(PreparedResponse)
    /// - Parameter bodyBytes: the size of the body, of which not all need be held when it was a stream.
    indirect case response(HTTPResponse, bodyBytes: Int)

    /// What it takes in memory; one that is prepared is the cassette's own.
    fileprivate var bytes: Int {
      switch self {
      case .prepared: 0
      case .response(let response, _): response.body.count + 512
      }
    }
  }

  init(
    _ request: HTTPRequest, _ source: ServedResponse.Source, _ arrival: RequestLog.Arrival,
    _ decisions: Decisions, _ failure: ExchangeFailure?, wasCutShort: Bool = false, _ content: Content,
    chunks: [ShownMessage.Chunk] = [], webSocket: WebSocketLog? = nil
  ) {
    bytes = 512 + request.bytes + content.bytes + chunks.count * MemoryLayout<ShownMessage.Chunk>.stride
    self.chunks = chunks
    self.webSocket = webSocket
    self.request = request
    startedMilliseconds = arrival.milliseconds
    loggedNanoseconds = MonotonicTime.now.nanoseconds(since: arrival.start)
    self.source = source
    loggedDecisions = decisions
    loggedFailure = failure
    wasLoggedCutShort = wasCutShort
    self.content = content
  }

  func isNumbered(_ number: Int, id: Int) {
    place.store(number, ordering: .relaxed)
    order.store(id, ordering: .relaxed)
  }

  public var status: Int {
    switch content {
    case .prepared(let prepared): prepared.status
    case .response(let response, _): response.head.status
    }
  }

  /// The size of the response's body; of a WebSocket, that of its messages.
  public var bodyBytes: Int {
    if let webSocket { return webSocket.size }
    return switch content {
    case .prepared(let prepared): prepared.contentBytes
    case .response(_, let bytes): bytes
    }
  }

  /// Whether all of the response is here.
  public var isWhole: Bool {
    if let webSocket { return webSocket.isWhole }
    guard case .response(let response, let bytes) = content else { return true }
    return response.body.count == bytes && !wasCutShort
  }

  /// The response as far as it is held.
  public var response: HTTPResponse {
    switch content {
    case .prepared(let prepared):
      prepared.response ?? HTTPResponse(head: HTTPResponseHead(status: prepared.status))
    case .response(let response, _): response
    }
  }

  /// The exchange as a recording would hold it, secrets and all.
  public var interaction: Interaction { interaction(saying: webSocket?.recorded) }

  /// - Parameter said: the messages of a WebSocket.
  func interaction(saying said: RecordedWebSocket?) -> Interaction {
    let response = response
    var recorded = RecordedResponse(
      head: response.head, body: .bytes(response.body), trailers: response.trailers)
    recorded.webSocket = said
    return Interaction(
      request: request,
      response: recorded,
      volatile: VolatileFacts(
        recordedAtMicroseconds: startedMilliseconds * 1000,
        durationMilliseconds: Double(durationNanoseconds / 1000) / 1000))
  }
}

extension RequestLogEntry {
  /// Why it got this response, in a few words.
  package var reason: String {
    if source == .upstream, let failure { return "forwarded; \(failure.words)" }
    return responded.words
  }

  /// Of the link that responded.
  package var responded: Decision {
    decisions.responded ?? Decision(Decision.Link(source), source == .server ? .refused : .declared)
  }
}

extension HTTPRequest {
  /// What it takes in memory, about.
  fileprivate var bytes: Int {
    target.count + fields.byteCount + body.count + trailers.byteCount
  }
}
