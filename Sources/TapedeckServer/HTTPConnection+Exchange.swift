internal import TapedeckHTTP
internal import TapedeckSockets

extension HTTPConnection {
  struct Exchange: ~Copyable {
    private let request: HTTPRequest.SharedHead
    /// The target for logs, where it differs from the request's.
    private var shownTarget: [UInt8]?
    let startedAt: MonotonicTime
    var keepsAlive: Bool
    /// Whether an interim response was sent to test whether a half-closed client still reads.
    var isClientAsked = false
    var status = 0
    /// The bytes of the response's body so far.
    var bodyBytes = 0
    var source = ServedResponse.Source.server
    var decisions: DecisionCollector?
    var failure: ExchangeFailure?

    init(_ request: HTTPRequest.SharedHead, startedAt: MonotonicTime, keepsAlive: Bool) {
      self.request = request
      self.startedAt = startedAt
      self.keepsAlive = keepsAlive
    }

    var method: HTTPMethod { request.head.method }
    var version: HTTPVersion { request.head.version }

    /// The exchange of a response to something that is not a complete request.
    static func refused(
      _ head: (method: HTTPMethod, target: [UInt8])?, startedAt: MonotonicTime
    ) -> Exchange {
      let head = HTTPRequestHead(
        method: head?.method ?? HTTPMethod(rawValue: "-"), target: head?.target ?? [UInt8(ascii: "-")])
      return Exchange(HTTPRequest.SharedHead(head), startedAt: startedAt, keepsAlive: false)
    }

    mutating func note(_ response: borrowing ServedResponse) {
      source = response.source
      guard response.hasExtras else { return }
      decisions = response.decisions
      shownTarget = response.shownTarget
      if response.endsConnection { keepsAlive = false }
    }

    mutating func note(_ failure: ExchangeFailure?) {
      if let failure { self.failure = failure }
    }

    func summary(wasCutShort: Bool) -> ExchangeSummary {
      let duration = MonotonicTime.now.nanoseconds(since: startedAt)
      return ExchangeSummary(
        method: method, target: shownTarget ?? request.head.target, status: status, bodyBytes: bodyBytes,
        source: source,
        durationNanoseconds: duration, wasCutShort: wasCutShort, decisions: decisions?.decisions,
        failure: failure)
    }
  }
}

/// Limits what one client is sent per turn, so that a fast reader cannot starve the others.
struct TurnShare {
  private var turn = MonotonicTime(nanoseconds: 0)
  private var bytes = 0
  /// When the client last read something; `nil` while no output is waiting.
  private var stalledSince: MonotonicTime?

  mutating func add(_ count: Int, in turn: MonotonicTime) {
    if self.turn != turn { (self.turn, bytes) = (turn, 0) }
    bytes += count
    if count > 0 { stalledSince = nil }
  }

  mutating func stall(now: MonotonicTime) -> MonotonicTime {
    let since = stalledSince ?? now
    stalledSince = since
    return since
  }

  func exceeds(_ limit: Int, in turn: MonotonicTime) -> Bool { bytes > limit && self.turn == turn }
}
