internal import TapedeckHTTP
import TapedeckMaintenance
internal import TapedeckRecording

/// What `verify` found, for people, programs and CI servers.
struct DriftReport {
  let cassette: String
  let upstream: String
  let findings: [DriftFinding]

  /// Something that could not be asked is a failure; after that, breaking drift is a rule that does not hold.
  var exitCode: ExitCode {
    if !failed.isEmpty { return .failure }
    return count(.breaking) > 0 ? .strictness : .good
  }

  private func count(_ severity: Drift.Severity) -> Int {
    findings.reduce(0) { $0 + $1.drifts.count { $0.severity == severity } }
  }

  private var failed: [DriftFinding] {
    findings.filter { if case .failed = $0.outcome { true } else { false } }
  }
  private var skipped: [DriftFinding] {
    findings.filter { if case .skipped = $0.outcome { true } else { false } }
  }
  private var same: [DriftFinding] { findings.filter { if case .same = $0.outcome { true } else { false } } }
}

// MARK: - For people

extension DriftReport {
  func text(_ style: Style) -> String {
    findings.map { text($0, style) }.joined() + reasons("failed", failed) + reasons("skipped", skipped)
      + summary
  }

  private func text(_ finding: DriftFinding, _ style: Style) -> String {
    guard case .drifted = finding.outcome else { return "" }
    let request = finding.recorded.request
    let lines = finding.drifts.map { drift in
      let severity = style.paint(TextWidth.padded(drift.severity.rawValue, to: 8), color(drift.severity))
      return "  \(severity)  \(Printable.line(drift.description))\n"
    }
    return "\(style.paint(request.method.rawValue, .bold)) \(Printable.line(request.targetText))  "
      + "\(style.paint(Printable.line(finding.fileName), .dim))\n" + lines.joined()
      + (finding.hint.map { "  hint      \(Printable.line($0))\n" } ?? "")
  }

  private func color(_ severity: Drift.Severity) -> Style.Color {
    switch severity {
    case .breaking: .red
    case .notable: .yellow
    case .info: .cyan
    }
  }

  /// How many there are of each reason, and which as long as they are few.
  private func reasons(_ what: String, _ findings: [DriftFinding]) -> String {
    let groups = Dictionary(grouping: findings) { finding -> String in
      switch finding.outcome {
      case .failed(let reason), .skipped(let reason): reason
      case .same, .drifted: ""
      }
    }
    return groups.sorted { $0.key < $1.key }.map { reason, findings in
      let names = findings.prefix(3).map { finding in
        let request = finding.recorded.request
        return "\(request.method) \(Printable.line(request.targetText))"
      }
      let more = findings.count > 3 ? " and \(findings.count - 3) more" : ""
      return "\(what) \(names.joined(separator: ", "))\(more): \(Printable.line(reason))\n"
    }.joined()
  }

  private var summary: String {
    let asked = findings.count - skipped.count
    var text =
      "\(HumanText.count(asked, "request")) asked of \(Printable.line(upstream)): \(same.count) the same; "
    text +=
      "drift: "
      + Drift.Severity.allCases.reversed().map { "\(count($0)) \($0.rawValue)" }.joined(separator: ", ")
    if !failed.isEmpty { text += "; \(failed.count) could not be asked" }
    return text + "\n"
  }
}

// MARK: - For programs

extension DriftReport {
  var json: JSONValue {
    [
      "cassette": JSONValue(cassette),
      "upstream": JSONValue(upstream),
      "asked": JSONValue(findings.count - skipped.count),
      "same": JSONValue(same.count),
      "skipped": JSONValue(skipped.count),
      "failed": JSONValue(failed.count),
      "drift": .object(
        Drift.Severity.allCases.reversed().map { JSONMember(JSONString($0.rawValue), JSONValue(count($0))) }),
      "requests": .array(findings.map(Self.json)),
    ]
  }

  private static func json(_ finding: DriftFinding) -> JSONValue {
    let request = finding.recorded.request
    var members: [JSONMember] = [
      JSONMember("method", JSONValue(request.method.rawValue)),
      JSONMember("target", JSONValue(request.targetText)),
      JSONMember("files", .array(finding.request.interactions.map { JSONValue($0.fileName) })),
    ]
    switch finding.outcome {
    case .same: members.append(JSONMember("outcome", "same"))
    case .drifted:
      members.append(JSONMember("outcome", "drifted"))
      members.append(JSONMember("drift", .array(finding.drifts.map(json))))
    case .skipped(let reason):
      members += [JSONMember("outcome", "skipped"), JSONMember("reason", JSONValue(reason))]
    case .failed(let reason):
      members += [JSONMember("outcome", "failed"), JSONMember("reason", JSONValue(reason))]
    }
    if let hint = finding.hint { members.append(JSONMember("hint", JSONValue(hint))) }
    return .object(members)
  }

  private static func json(_ drift: Drift) -> JSONValue {
    [
      "severity": JSONValue(drift.severity.rawValue),
      "kind": JSONValue(drift.kind.rawValue),
      "place": JSONValue(drift.place),
      "recorded": drift.recorded.map { JSONValue($0) } ?? .null,
      "live": drift.live.map { JSONValue($0) } ?? .null,
    ]
  }
}

// MARK: - For CI servers

extension DriftReport {
  /// One case a request; only breaking drift makes it fail.
  var junit: JUnitXML {
    JUnitXML(suite: "tapedeck verify \(cassette)", cases: findings.map(junitCase))
  }

  private func junitCase(_ finding: DriftFinding) -> JUnitXML.Case {
    let request = finding.recorded.request
    var item = JUnitXML.Case(
      group: cassette, name: "\(request.method) \(request.targetText)",
      seconds: finding.durationMilliseconds.map { $0 / 1000 })
    switch finding.outcome {
    case .same: break
    case .skipped(let reason): item.outcome = .skipped(message: reason)
    case .failed(let reason): item.outcome = .error(message: reason, detail: reason)
    case .drifted:
      guard let worst = finding.drifts.first, worst.severity == .breaking else { break }
      let lines = finding.drifts.map { "\($0.severity.rawValue): \($0)" } + [finding.hint].compactMap { $0 }
      item.outcome = .failed(message: worst.description, detail: lines.joined(separator: "\n"))
    }
    return item
  }
}
