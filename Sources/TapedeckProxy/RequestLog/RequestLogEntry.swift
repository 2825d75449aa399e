internal import Synchronization
public import TapedeckHTTP
public import TapedeckRecording

/// A request and what became of it.
public final class RequestLogEntry: Sendable {
  /// Counts the requests of a session, from 1. Known once it is in the journal.
  public var number: Int { place.load(ordering: .relaxed) }
  private let place = Atomic<Int>(0)
  /// As it came, less what named its session.
  public var request: HTTPRequest { packed.request }
  private let packed: PackedRequest
  /// When it had arrived, in milliseconds since 1970 UTC.
  public let startedMilliseconds: Int
  /// The same for people, as RFC 3339 writes it.
  public var started: String { Timestamp.text(milliseconds: startedMilliseconds) }
  /// To the end of the answer leaving the chain.
  public let durationNanoseconds: Int64
  public let source: ServedResponse.Source
  public let explanation: ResponseExplanation?
  /// Whether the answer broke off, or the client left before its end.
  public let wasCutShort: Bool
  private let answer: Answer
  /// The rules of that moment; nil where there were none.
  let rules: RulesThen?
  /// What it takes in memory, about.
  let bytes: Int

  enum Answer: Sendable {
    case prepared(PreparedResponse)
    indirect case response(HTTPResponse)
    /// A stream, of whose body not all need be held.
    indirect case streamed(HTTPResponse, bodyBytes: Int)

    /// What it takes in memory; one that is prepared is the cassette's own.
    fileprivate var bytes: Int {
      switch self {
      case .prepared: 0
      case .response(let response), .streamed(let response, _): response.body.count + 512
      }
    }
  }

  init(
    _ packed: consuming PackedRequest, startedMilliseconds: Int, durationNanoseconds: Int64,
    source: ServedResponse.Source,
    explanation: ResponseExplanation?, wasCutShort: Bool, rules: RulesThen?, _ answer: Answer
  ) {
    bytes = 256 + packed.bytes + answer.bytes
    self.packed = packed
    self.startedMilliseconds = startedMilliseconds
    self.durationNanoseconds = durationNanoseconds
    self.source = source
    self.explanation = explanation
    self.wasCutShort = wasCutShort
    self.rules = rules
    self.answer = answer
  }

  func isNumbered(_ number: Int) { place.store(number, ordering: .relaxed) }

  public var status: Int {
    switch answer {
    case .prepared(let prepared): prepared.status
    case .response(let response), .streamed(let response, _): response.head.status
    }
  }

  /// Of the answer.
  public var bodyBytes: Int {
    switch answer {
    case .prepared(let prepared): prepared.contentBytes
    case .response(let response): response.body.count
    case .streamed(_, let bytes): bytes
    }
  }

  /// Whether all of the answer is here.
  public var isWhole: Bool {
    if case .streamed(let response, let bytes) = answer {
      return response.body.count == bytes && !wasCutShort
    }
    return true
  }

  /// The answer as far as it is held.
  public var response: HTTPResponse {
    switch answer {
    case .prepared(let prepared):
      prepared.response ?? HTTPResponse(head: HTTPResponseHead(status: prepared.status))
    case .response(let response), .streamed(let response, _): response
    }
  }

  /// The exchange as a recording would hold it, secrets and all.
  public var interaction: Interaction {
    let response = response
    return Interaction(
      request: request,
      response: RecordedResponse(
        head: response.head, body: .bytes(response.body), trailers: response.trailers),
      volatile: VolatileFacts(
        recordedAtMicroseconds: startedMilliseconds * 1000,
        durationMilliseconds: Double(durationNanoseconds / 1000) / 1000))
  }
}

/// The rules of a moment, to say later why they did not answer.
final class RulesThen: Sendable {
  let routes: RuleTable<RouteRule>?
  let patches: RuleTable<PatchRule>?
  let faults: RuleTable<FaultRule>?

  init(routes: RuleTable<RouteRule>?, patches: RuleTable<PatchRule>?, faults: RuleTable<FaultRule>?) {
    self.routes = routes
    self.patches = patches
    self.faults = faults
  }
}
