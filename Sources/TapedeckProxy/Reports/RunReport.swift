internal import TapedeckHTTP
internal import TapedeckRecording
import TapedeckRedaction

/// What a run came to, for programs: the contents of `--report`. The same run gives the same report.
public struct RunReport: Sendable {
  /// Raised when a reader of an earlier version would misread what is written.
  public static let version = 1
  private static let maximumSecrets = 100

  public var summary: ProxySummary
  public var uses: [InteractionUse]
  public var cassette: String?
  public var mode: RecordMode
  /// By what requests were compared, in the words of `--match`.
  public var match: [String]
  /// The rules that had to hold, and the exit code that came of all.
  public var rules: [RunRule]
  public var exitCode: Int
  /// `nil` where no command was to be isolated.
  package var isolation: IsolationReport?

  public init(
    summary: ProxySummary, uses: [InteractionUse], cassette: String?, mode: RecordMode, match: [String],
    rules: [RunRule], exitCode: Int
  ) {
    self.summary = summary
    self.uses = uses
    self.cassette = cassette
    self.mode = mode
    self.match = match
    self.rules = rules
    self.exitCode = exitCode
  }

  /// A JSON document; every member is always there.
  public var json: [UInt8] { document.bytes(.pretty) }

  private var document: JSONValue {
    [
      "tapedeck-report": JSONValue(Self.version), "cassette": Self.text(cassette),
      "mode": JSONValue(mode.rawValue), "match": .array(match.map { JSONValue($0) }),
      "exitCode": JSONValue(exitCode),
      "rules": .array(rules.map { JSONValue($0.rawValue) }),
      "broken": .array(rules.filter { summary.breaches(of: $0) > 0 }.map { JSONValue($0.rawValue) }),
      "failure": Self.text(summary.recordingFailure ?? summary.emptyRecording(mode)),
      "counts": counts,
      "interactions": .array(uses.map(Self.interaction)),
      "unused": .array(uses.filter { $0.hits == 0 }.map { JSONValue($0.file) }),
      "unmatched": .array(summary.unmatchedRequests.map(Self.unmatched)),
      "otherUnmatched": JSONValue(summary.otherUnmatched),
      "drift": .array(summary.driftedFields.map(Self.drift)), "otherDrift": JSONValue(summary.otherDrift),
      "originMentions": .array(summary.originMentions.map(Self.mention)),
      "tunnelledHosts": .array(summary.tunnelledHosts.map { JSONValue($0) }),
      "secrets": .array(summary.secrets.prefix(Self.maximumSecrets).map(Self.secret)),
      "failures": .array(summary.failures.map(Self.failed)),
      "otherFailures": JSONValue(summary.otherFailures),
      "isolation": isolation?.json ?? .null,
    ]
  }

  private static func text(_ text: String?) -> JSONValue { text.map { JSONValue($0) } ?? .null }

  private var counts: JSONValue {
    [
      "recorded": JSONValue(summary.recorded), "redacted": JSONValue(summary.redacted),
      "secrets": JSONValue(summary.secrets.count),
      "replayed": JSONValue(summary.replayed),
      "repeated": JSONValue(summary.repeated), "drifted": JSONValue(summary.drifted),
      "otherClients": JSONValue(summary.otherClients),
      "unmatched": JSONValue(summary.unmatched), "unused": JSONValue(summary.unused),
      "overridden": JSONValue(summary.overridden), "forwarded": JSONValue(summary.forwarded),
      "tunnels": JSONValue(summary.tunnels),
      "failed": JSONValue(summary.failed), "oversized": JSONValue(summary.oversized),
      "left": JSONValue(summary.left),
      "upstreamConnections": JSONValue(summary.upstreamConnections),
      "filesWritten": JSONValue(summary.filesWritten), "filesRemoved": JSONValue(summary.filesRemoved),
      "filesRedacted": JSONValue(summary.filesRedacted),
    ]
  }

  private static func interaction(_ use: InteractionUse) -> JSONValue {
    [
      "file": JSONValue(use.file), "method": JSONValue(use.method), "target": JSONValue(use.target),
      "status": JSONValue(use.status), "hits": JSONValue(use.hits), "repeated": JSONValue(use.repeated),
      "drifted": JSONValue(use.drifted),
    ]
  }

  private static func unmatched(_ request: MissGroup) -> JSONValue {
    .object(
      [
        JSONMember("method", JSONValue(request.miss.method)),
        JSONMember("target", JSONValue(request.miss.target)),
        JSONMember("count", JSONValue(request.count)),
        JSONMember("detail", JSONValue(request.miss.detail)),
      ] + request.miss.explanation)
  }

  private static func secret(_ find: SecretFind) -> JSONValue {
    [
      "file": JSONValue(find.file), "place": text(find.place),
      "looksLike": JSONValue(find.looksLike), "beginning": JSONValue(find.beginning),
    ]
  }

  private static func failed(_ exchange: FailedExchange) -> JSONValue {
    .object(
      [
        JSONMember("method", JSONValue(exchange.method)), JSONMember("target", JSONValue(exchange.target)),
        JSONMember("count", JSONValue(exchange.count)),
      ] + (exchange.failure.json.members ?? []))
  }

  private static func mention(_ mention: OriginMention) -> JSONValue {
    [
      "what": JSONValue(mention.what), "request": JSONValue(mention.request),
      "advice": JSONValue(mention.advice),
    ]
  }

  private static func drift(_ field: DriftedField) -> JSONValue {
    [
      "field": JSONValue(field.field), "count": JSONValue(field.count),
      "recorded": text(field.recorded), "received": text(field.received),
    ]
  }
}
