internal import Synchronization
internal import TapedeckHTTP
import TapedeckRecording
public import TapedeckRedaction

/// Counters that every loop adds to.
final class ProxyStatistics: Sendable {
  private let recorded = Atomic(0)
  private let replayed = Atomic(0)
  private let repeated = Atomic(0)
  private let overridden = Atomic(0)
  private let forwarded = Atomic(0)
  private let unmatched = Atomic(0)
  private let failed = Atomic(0)
  private let oversized = Atomic(0)
  private let left = Atomic(0)
  private let upstreamConnections = Atomic(0)
  private let drifted = Atomic(0)
  private let otherClients = Atomic(0)
  private let misses = GroupLedger<MissGroup>()
  private let drifts = DriftLedger()
  private let failures = GroupLedger<FailedExchange>()
  let mentions: OriginMentions

  init(namesOptions: Bool = true, notice: @escaping @Sendable (String) -> Void = { _ in }) {
    mentions = OriginMentions(namesOptions: namesOptions, notice: notice)
  }

  func countRecorded() { recorded.add(1, ordering: .relaxed) }
  func countRepeated() { repeated.add(1, ordering: .relaxed) }
  func countOtherClient() { otherClients.add(1, ordering: .relaxed) }
  func countForwarded() { forwarded.add(1, ordering: .relaxed) }
  /// Whether it was the first.
  func countOversized() -> Bool { oversized.add(1, ordering: .relaxed).oldValue == 0 }
  /// Whether it was the first.
  func countLeft() -> Bool { left.add(1, ordering: .relaxed).oldValue == 0 }
  func countFailed() { failed.add(1, ordering: .relaxed) }
  /// - Parameter target: without secrets.
  func countFailed(_ failure: ExchangeFailure, method: String, target: String) {
    countFailed()
    failures.add(failure, method: method, target: target)
  }
  func countUpstreamConnection() { upstreamConnections.add(1, ordering: .relaxed) }
  /// Whether it is the first of its kind.
  func countUnmatched(_ miss: Miss) -> Bool {
    unmatched.add(1, ordering: .relaxed)
    return misses.add(miss)
  }

  func countDrift(_ differences: [RequestDifference], file: String) {
    drifted.add(1, ordering: .relaxed)
    drifts.add(differences, file: file)
  }

  /// How many requests that got a recording drifted, by its file.
  var driftedFiles: [String: Int] { drifts.files }

  func count(_ source: ServedResponse.Source) {
    switch source {
    case .cassette: replayed.add(1, ordering: .relaxed)
    case .route, .store: overridden.add(1, ordering: .relaxed)
    case .upstream, .unmatched, .server: break
    }
  }

  /// The counters now; what only the cassette knows is left at nothing.
  var summary: ProxySummary {
    var summary = ProxySummary()
    summary.recorded = recorded.load(ordering: .relaxed)
    summary.replayed = replayed.load(ordering: .relaxed)
    summary.repeated = repeated.load(ordering: .relaxed)
    summary.overridden = overridden.load(ordering: .relaxed)
    summary.forwarded = forwarded.load(ordering: .relaxed)
    summary.unmatched = unmatched.load(ordering: .relaxed)
    summary.oversized = oversized.load(ordering: .relaxed)
    summary.left = left.load(ordering: .relaxed)
    summary.failed = failed.load(ordering: .relaxed)
    summary.upstreamConnections = upstreamConnections.load(ordering: .relaxed)
    summary.drifted = drifted.load(ordering: .relaxed)
    summary.otherClients = otherClients.load(ordering: .relaxed)
    (summary.unmatchedRequests, summary.otherUnmatched) = misses.groups
    (summary.driftedFields, summary.otherDrift) = drifts.fields
    (summary.failures, summary.otherFailures) = failures.groups
    summary.originMentions = mentions.all
    return summary
  }
}

/// What a run came to.
public struct ProxySummary: Sendable, Equatable {
  /// Exchanges recorded.
  public var recorded = 0
  /// Secrets that were hidden in what was recorded.
  public var redacted = 0
  /// Responses from the cassette.
  public var replayed = 0
  /// Of the replayed: responses given once more after all recorded ones had been given.
  public var repeated = 0
  /// Answered by a route or store.
  public var overridden = 0
  /// Passed through without being recorded.
  public var forwarded = 0
  /// Passed through because they were too large to be recorded.
  public var oversized = 0
  /// Requests that nothing responded to.
  public var unmatched = 0
  /// Of the replayed: responses to requests that differed from the recorded ones where the rules ignore it.
  public var drifted = 0
  /// Of the replayed: responses that were recorded for another client than the one that asked, which is no drift.
  public var otherClients = 0
  /// The unmatched requests by sort, at most a hundred, and how many others there were.
  public var unmatchedRequests: [MissGroup] = []
  /// How many requests were unmatched beyond those of `unmatchedRequests`.
  public var otherUnmatched = 0
  /// Where requests drifted, at most a hundred places, and how often others did.
  public var driftedFields: [DriftedField] = []
  /// How often requests drifted beyond `driftedFields`.
  public var otherDrift = 0
  /// Left by the client before its response was complete, and not recorded.
  public var left = 0
  /// What named the origin in responses and was left as it is, each thing once.
  public var originMentions: [OriginMention] = []
  /// Exchanges with the origin that came to nothing.
  public var failed = 0
  /// Why they failed, by request and cause, at most a hundred, and how many others there were.
  public var failures: [FailedExchange] = []
  /// How many exchanges failed beyond those of `failures`.
  public var otherFailures = 0
  /// Interactions that no request got.
  public var unused = 0
  /// Connections opened to the origin.
  public var upstreamConnections = 0
  /// Interaction files that sealing wrote and removed.
  public var filesWritten = 0
  /// Interaction files that sealing removed.
  public var filesRemoved = 0
  /// Files of earlier runs whose requests did not come again, where everything was recorded anew.
  public var untouchedFiles: [String] = []
  /// What looks like a secret in what was recorded.
  public var secrets: [SecretFind] = []
  /// The message that nothing was sealed because of them.
  public var sealRefusal: String?
  /// Why recording broke off, if it did.
  public var recordingFailure: String?

  /// Creates a summary of nothing.
  public init() {}
}

extension ProxySummary {
  /// Says so where a recording has nothing to show but failures.
  public func emptyRecording(_ mode: RecordMode) -> String? {
    guard mode == .all || mode == .once || mode == .newEpisodes, failed > 0, recorded == 0, replayed == 0
    else { return nil }
    let exchanges = failed == 1 ? "1 exchange" : "\(failed) exchanges"
    return "nothing was recorded, and \(exchanges) with the origin failed"
  }
}
