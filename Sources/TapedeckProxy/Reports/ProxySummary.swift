public import TapedeckHTTP
public import TapedeckRedaction

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
  /// Responses of a route or store.
  public var overridden = 0
  /// Passed through without being recorded.
  public var forwarded = 0
  /// Passed through because they were too large to be recorded.
  public var oversized = 0
  /// Connections whose bytes passed unread, because their host is not intercepted.
  public var tunnels = 0
  /// Where they led, each `HOST:PORT` once, at most a hundred.
  public var tunnelledHosts: [String] = []
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
  /// Interaction files of earlier runs that held a secret which this run revealed; sealing redacted it.
  public var filesRedacted = 0
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
  /// Whether no request came at all.
  public var isSilent: Bool {
    recorded + replayed + unmatched + overridden + forwarded + oversized + left + failed + tunnels == 0
  }

  /// Says so where a recording has nothing to show but failures.
  public func emptyRecording(_ mode: RecordMode) -> String? {
    guard mode == .all || mode == .once || mode == .newEpisodes, failed > 0, recorded == 0, replayed == 0
    else { return nil }
    let exchanges = failed == 1 ? "1 exchange" : "\(failed) exchanges"
    return "nothing was recorded, and \(exchanges) with the origin failed"
  }

  /// How often a rule was broken.
  public func breaches(of rule: RunRule) -> Int {
    switch rule {
    case .unused: unused
    case .drift: drifted
    case .unmatched: unmatched
    case .repeat: repeated
    case .secrets: secrets.count
    }
  }
}

/// What a run may be forbidden to be.
public enum RunRule: String, Sendable, CaseIterable {
  /// Interactions that no request got.
  case unused
  /// Requests that differed from their recordings where the rules ignore it.
  case drift
  /// Requests without a response.
  case unmatched
  /// Responses that were given more often than they were recorded.
  case `repeat`
  /// What looks like a secret in what was recorded; nothing is sealed then.
  case secrets
}

/// Misses of one kind: requests for the same thing.
public struct MissGroup: Sendable, Equatable {
  /// The first of them.
  public var miss: Miss
  public var count: Int
}

/// A place where requests differed from their recordings without a difference to the rules.
public struct DriftedField: Sendable, Equatable {
  /// As in `query "ts"`, `$.items[*].nonce`, `body`.
  public var field: String
  /// In how many requests.
  public var count: Int
  /// As an example, the first of them; `nil` where it was not there.
  public var recorded: String?
  public var received: String?
}

/// Exchanges with the origin that failed alike.
public struct FailedExchange: Sendable, Equatable {
  public var method: String
  /// Path and query, without secrets.
  public var target: String
  /// Of the first of them.
  public var failure: ExchangeFailure
  public var count: Int
}

/// A recording, and how often it was given in a run.
public struct InteractionUse: Sendable, Equatable {
  /// Its file in the cassette.
  public var file: String
  public var method: String
  /// Path and query.
  public var target: String
  public var status: Int
  public var hits: Int
  /// Of the hits: those beyond what was recorded.
  public var repeated: Int
  /// Of the hits: those of requests that differed where the rules ignore it.
  public var drifted: Int
}
