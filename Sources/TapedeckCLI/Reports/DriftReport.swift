import TapedeckFormats
internal import TapedeckHTTP
import TapedeckMaintenance
internal import TapedeckProxy
internal import TapedeckRecording

/// The result of sending one recorded request again.
struct DriftFinding {
  enum Outcome: String { case same, drifted, skipped, failed }

  let request: DriftRequest
  private(set) var outcome: Outcome
  /// The most severe first.
  private(set) var drifts: [Drift] = []
  /// A sentence that says why it was skipped or failed.
  private(set) var reason: String?
  /// `nil` for a request that was not sent.
  let durationMilliseconds: Double?
  /// The status of the live response.
  private(set) var status: Int?

  /// The origin to give by name before `--header` works; `nil` where it was given.
  private let unnamedUpstream: String?

  /// - Parameter result: `nil` for a request that was not sent.
  init(_ request: DriftRequest, _ result: UpstreamBatch.Result?, unnamedUpstream: String?) {
    self.request = request
    self.unnamedUpstream = unnamedUpstream
    durationMilliseconds = result?.durationMilliseconds
    switch (request.plan, result?.outcome) {
    case (.skip(let reason), _): (outcome, self.reason) = (.skipped, reason)
    case (_, .failed(let reason)?): (outcome, self.reason) = (.failed, reason)
    case (_, nil): (outcome, reason) = (.skipped, "it was not sent")
    case (_, .response(let response)?):
      let found = request.drifts(in: response)
      (outcome, status) = (found.isEmpty ? .same : .drifted, response.head.status)
      drifts = Drift.Severity.allCases.reversed().flatMap { severity in
        found.filter { $0.severity == severity }
      }
    }
  }

  var recorded: HTTPRequest { request.interactions[0].interaction.request }

  /// Explains a refusal: a secret that was recorded as a placeholder was not sent.
  var hint: String? {
    guard !request.withheld.isEmpty, let status, status == 401 || status == 403 else { return nil }
    let names = request.withheld.joined(separator: ", ")
    let upstream = unnamedUpstream.map { "--upstream \(ShellWord.quoted($0)) " } ?? ""
    return "sent without its redacted \(names); give it with \(upstream)--header '\(request.withheld[0]): …'"
  }
}

/// The result of `verify`, for people, programs and CI servers.
struct DriftReport {
  let cassette: String
  /// Where the requests were sent; more than one if the cassette is of several origins.
  let origins: [String]
  let findings: [DriftFinding]

  var exitCode: ExitCode {
    if count(.failed) > 0 { return .failure }
    return count(.breaking) > 0 ? .strictness : .good
  }

  /// The columns of a summary.
  var counts: [(name: String, count: Int)] {
    [
      ("same", count(.same)), ("drifted", count(.drifted)), ("skipped", count(.skipped)),
      ("failed", count(.failed)),
    ]
      + Drift.Severity.allCases.reversed().map { ("\($0.rawValue) drift", count($0)) }
  }

  private func count(_ severity: Drift.Severity) -> Int {
    findings.reduce(0) { $0 + $1.drifts.count { $0.severity == severity } }
  }

  private func count(_ outcome: DriftFinding.Outcome) -> Int { findings.count { $0.outcome == outcome } }

  // MARK: For people

  var text: String {
    let hints = findings.compactMap(\.hint).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    return groups.map(text).joined() + hints.map { "hint: \(Printable.line($0))\n" }.joined()
      + reasons(.failed) + reasons(.skipped) + summary
  }

  /// Requests that drifted alike.
  private typealias Group = (findings: [DriftFinding], drifts: [Drift])

  /// Drift of several requests is shown once; drift of the same requests together. The most requests first.
  private var groups: [Group] {
    let drifted = findings.filter { $0.outcome == .drifted }
    var places: [String: [Int]] = [:]
    for (index, finding) in drifted.enumerated() {
      for drift in finding.drifts { places["\(drift.severity) \(drift)", default: []].append(index) }
    }
    var groups: [[Int]: Group] = [:]
    var order: [[Int]] = []
    for finding in drifted {
      for drift in finding.drifts {
        guard let requests = places.removeValue(forKey: "\(drift.severity) \(drift)") else { continue }
        if groups[requests] == nil { order.append(requests) }
        groups[requests, default: (requests.map { drifted[$0] }, [])].drifts.append(drift)
      }
    }
    let many = order.filter { $0.count > 1 }.sorted { ($1.count, $0[0]) < ($0.count, $1[0]) }
    return (many + order.filter { $0.count == 1 }).compactMap { groups[$0] }
  }

  private func text(_ group: Group) -> String {
    let lines = group.drifts.map { drift in
      let color: Style.Color =
        switch drift.severity {
        case .breaking: .red
        case .notable: .yellow
        case .info: .cyan
        }
      let severity = drift.severity.rawValue.padded(to: 8).painted(color)
      return "  \(severity)  \(Printable.line(drift.description))\n"
    }
    return heading(group.findings) + lines.joined()
  }

  /// One request with its file, or how many there are, with the first.
  private func heading(_ findings: [DriftFinding]) -> String {
    guard findings.count == 1 else {
      let count = HumanText.count(findings.count, "request").painted(.bold)
      return "\(count): \(Self.names(findings))\n"
    }
    let request = findings[0].recorded
    let file = Printable.line(findings[0].request.interactions[0].fileName)
    return "\(request.method.rawValue.painted(.bold)) \(Printable.line(request.shownTarget))  "
      + "\(file.painted(.dim))\n"
  }

  /// The first three, and how many more there are.
  private static func names(_ findings: [DriftFinding]) -> String {
    let names = findings.prefix(3).map { "\($0.recorded.method) \(Printable.line($0.recorded.shownTarget))" }
    let more = findings.count > 3 ? " and \(findings.count - 3) more" : ""
    return names.joined(separator: ", ") + more
  }

  /// One line per reason, with the first requests that it applies to.
  private func reasons(_ outcome: DriftFinding.Outcome) -> String {
    let groups = Dictionary(grouping: findings.filter { $0.outcome == outcome }) { $0.reason ?? "" }
    return groups.sorted { $0.key < $1.key }.map { reason, findings in
      "\(outcome) \(Self.names(findings)): \(Printable.line(reason))\n"
    }.joined()
  }

  private var summary: String {
    let sent = HumanText.count(findings.count - count(.skipped), "request")
    let drift = Drift.Severity.allCases.reversed().map { "\(count($0)) \($0.rawValue)" }
    let failed = count(.failed)
    return "\(sent) sent to \(Printable.line(origins.firstThree)): \(count(.same)) the same; "
      + "drift: \(drift.joined(separator: ", "))\(failed > 0 ? "; \(failed) failed" : "")\n"
  }

  // MARK: For programs

  var json: JSONValue {
    .object(of: [
      "cassette": JSONValue(cassette),
      "upstream": origins.count == 1 ? JSONValue(origins[0]) : .null,
      "origins": origins.count == 1 ? JSONValue?.none : JSONValue(origins),
      "asked": JSONValue(findings.count - count(.skipped)),
      "same": JSONValue(count(.same)),
      "skipped": JSONValue(count(.skipped)),
      "failed": JSONValue(count(.failed)),
      "drift": .object(
        Drift.Severity.allCases.reversed().map { JSONMember(JSONString($0.rawValue), JSONValue(count($0))) }),
      "requests": .array(findings.map(Self.json)),
    ])
  }

  private static func json(_ finding: DriftFinding) -> JSONValue {
    var members: [JSONMember] = [
      JSONMember("method", JSONValue(finding.recorded.method.rawValue)),
      JSONMember("target", JSONValue(finding.recorded.targetText)),
      JSONMember("files", JSONValue(finding.request.interactions.map(\.fileName))),
      JSONMember("outcome", JSONValue(finding.outcome.rawValue)),
    ]
    if let origin = finding.request.interactions[0].interaction.origin {
      members.append(JSONMember("origin", JSONValue("\(origin)")))
    }
    if !finding.drifts.isEmpty {
      members.append(JSONMember("drift", .array(finding.drifts.map(json))))
    }
    if let reason = finding.reason { members.append(JSONMember("reason", JSONValue(reason))) }
    if let hint = finding.hint { members.append(JSONMember("hint", JSONValue(hint))) }
    return .object(members)
  }

  private static func json(_ drift: Drift) -> JSONValue {
    [
      "severity": JSONValue(drift.severity.rawValue), "kind": JSONValue(drift.kind.rawValue),
      "place": JSONValue(drift.place), "recorded": JSONValue(drift.recorded), "live": JSONValue(drift.live),
    ]
  }

  // MARK: For CI servers

  /// One case per request; only breaking drift makes it fail.
  var junit: JUnitXML {
    JUnitXML(
      suite: "tapedeck verify \(cassette)",
      cases: findings.map { finding in
        JUnitXML.Case(
          group: cassette, name: "\(finding.recorded.method) \(finding.recorded.shownTarget)",
          seconds: finding.durationMilliseconds.map { $0 / 1000 }, outcome: outcome(finding),
          file: finding.request.interactions[0].fileName)
      })
  }

  private func outcome(_ finding: DriftFinding) -> JUnitXML.Outcome {
    let reason = finding.reason ?? ""
    switch finding.outcome {
    case .skipped: return .skipped(message: reason)
    case .failed: return .error(message: reason, detail: reason)
    case .same, .drifted:
      guard let worst = finding.drifts.first, worst.severity == .breaking else { return .passed }
      let lines = finding.drifts.map { "\($0.severity.rawValue): \($0)" } + [finding.hint].compactMap { $0 }
      return .failed(message: worst.description, detail: lines.joined(separator: "\n"))
    }
  }
}
