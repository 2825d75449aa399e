internal import TapedeckHTTP
internal import TapedeckProxy
internal import TapedeckRecording
internal import TapedeckRedaction

/// The summary of a run for people: the counts, then unmatched requests and drift, up to a readable length.
extension ProxySummary {
  private static let maximumListed = 10
  private static let maximumDifferences = 3
  private static let maximumCharacters = 400

  func lines(cassette: String?) -> [String] {
    shortened([counts] + tunnelLines + failedLines) + unmatchedLines + remarks(cassette: cassette)
  }

  /// What is left to say where `SummaryScreen` shows the requests.
  func remarks(cassette: String?) -> [String] {
    shortened(
      driftLines + originMentions.map { "the origin is named by \($0.description)" }
        + sealedLines(cassette) + secretLines(cassette)) + untouchedLines(cassette)
  }

  private func shortened(_ lines: [String]) -> [String] { lines.map(Self.shortened) }

  private static func shortened(_ line: String) -> String {
    let text = Printable.line(line)
    return text.count > maximumCharacters ? text.prefix(maximumCharacters) + "…" : text
  }

  private var counts: String {
    let always = ["recorded", "replayed", "unmatched", "unused", "upstream connections opened"]
    return outcomes.flatMap { outcome in
      let details = outcome.details.filter { $0.count > 0 }.map { "\($0.count) of them \($0.name)" }
      return (outcome.count > 0 || always.contains(outcome.name) ? ["\(outcome.count) \(outcome.name)"] : [])
        + details
    }.joined(separator: ", ")
  }

  typealias Outcome = (count: Int, name: String, details: [(count: Int, name: String)])

  /// The counts in the order in which they are shown, some with those that they include.
  var outcomes: [Outcome] {
    let ofReplayed = [
      (otherClients, "recorded for another client"), (drifted, "drifted"), (repeated, "repeated"),
    ]
    return [
      (recorded, "recorded", []), (redacted, "redacted", []),
      (secrets.count - unsearchedBodies, "secrets found", []), (unsearchedBodies, "bodies not searched", []),
      (replayed, "replayed", ofReplayed), (unmatched, "unmatched", []), (unused, "unused", []),
      (overridden, "overridden", []), (forwarded, "passed through", []), (tunnels, "tunnelled", []),
      (oversized, "too large to record", []), (left, "left by the client", []), (failed, "failed", []),
      (upstreamConnections, "upstream connections opened", []),
    ]
  }

  private var unsearchedBodies: Int { secrets.count { $0.isUnsearchedBody } }

  private static func times(_ count: Int) -> String { count > 1 ? ", \(count) times" : "" }

  private var unmatchedLines: [String] {
    let listed = unmatchedRequests.prefix(Self.maximumListed)
    let rest = unmatched - listed.reduce(0) { $0 + $1.count }
    return listed.flatMap(Self.lines) + (rest > 0 ? ["unmatched: and \(rest) more"] : [])
  }

  /// The request, the nearest recording, and the command that fits best, which is never cut.
  private static func lines(_ request: MissGroup) -> [String] {
    var line = "unmatched: \(request.miss.method) \(request.miss.target)\(times(request.count))"
    if let nearest = request.miss.nearest.first {
      let differences = nearest.differences.prefix(maximumDifferences).map(\.description)
      let rest = nearest.differences.count - differences.count
      let more = rest > 0 ? ["and \(rest) more"] : []
      line += "; nearest \(nearest.file): " + (differences + more).joined(separator: "; ")
      if differences.isEmpty { line += "all its responses were served" }
    }
    let fix = request.miss.fixes.first.map { Printable.line("  \($0.because): \($0.command)") }
    return [shortened(line)] + [fix].compactMap(\.self)
  }

  private var failedLines: [String] {
    let lines = failures.prefix(Self.maximumListed).map {
      "failed: \($0.method) \($0.target)\(Self.times($0.count)): \($0.failure.detail)"
    }
    let rest = failures.dropFirst(Self.maximumListed).reduce(0) { $0 + $1.count } + otherFailures
    return lines + (rest > 0 ? ["failed: … and \(rest) more; see --report"] : [])
  }

  var tunnelLines: [String] {
    guard let first = tunnelledHosts.first else { return [] }
    let rest = tunnelledHosts.count - Self.maximumListed
    let hosts = tunnelledHosts.prefix(Self.maximumListed).joined(separator: ", ")
    let verb = first == tunnelledHosts.last ? "is" : "are"
    return ["passed unread: \(hosts)\(rest > 0 ? ", and \(rest) more" : ""), which \(verb) not intercepted"]
  }

  private var driftLines: [String] {
    let lines = driftedFields.prefix(Self.maximumListed).map { field in
      "drift: \(field.field) in \(HumanText.count(field.count, "request")), like "
        + "\(field.recorded ?? "(absent)") → \(field.received ?? "(absent)")"
    }
    let isCut = driftedFields.count > lines.count || otherDrift > 0
    return lines + (isCut ? ["drift: and more; see --report"] : [])
  }

  private func secretLines(_ cassette: String?) -> [String] {
    guard !secrets.isEmpty, let cassette else { return [] }
    let text = sealRefusal ?? "warning: " + SecretAdvice.warning(secrets, path: cassette)
    return text.split(separator: "\n").map(String.init)
  }

  /// Files of earlier runs, and the command that removes them, which is never cut.
  private func untouchedLines(_ cassette: String?) -> [String] {
    guard !untouchedFiles.isEmpty, let cassette else { return [] }
    let listed = untouchedFiles.prefix(Self.maximumListed)
    let rest = untouchedFiles.count - listed.count
    let names = untouchedFiles.map { ShellWord.quoted($0) }.joined(separator: " ")
    return [
      "\(HumanText.count(untouchedFiles.count, "file")) of earlier runs not recorded again: "
        + listed.joined(separator: ", ") + (rest > 0 ? ", and \(rest) more" : ""),
      "  if nothing needs \(untouchedFiles.count == 1 ? "it" : "them"): "
        + "tapedeck trim \(ShellWord.quoted(cassette)) \(names)",
    ].map(Printable.line)
  }

  private func sealedLines(_ cassette: String?) -> [String] {
    var lines: [String] = []
    if filesWritten + filesRemoved + filesRedacted > 0, let cassette {
      lines.append(
        "sealed \(cassette): \(HumanText.count(filesWritten, "file")) written, \(filesRemoved) removed")
    }
    if filesRedacted > 0 {
      lines.append(
        "secrets of this run were redacted in \(HumanText.count(filesRedacted, "file")) of earlier runs")
    }
    if let failure = recordingFailure {
      let kept = recorded > 0 ? "; the rest is in the journal, and the next recording saves it" : ""
      lines.append("the recording is not complete: \(failure)\(kept)")
    }
    return lines
  }
}
