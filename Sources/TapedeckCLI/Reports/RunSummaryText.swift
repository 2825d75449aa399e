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
    let lines =
      [counts] + failedLines + unmatchedLines + driftLines
      + originMentions.map { "the origin is named by \($0.description)" }
      + sealedLines(cassette) + secretLines(cassette)
    return lines.map { line in
      let text = Printable.line(line)
      return text.count > Self.maximumCharacters ? text.prefix(Self.maximumCharacters) + "…" : text
    } + untouchedLines(cassette)
  }

  private var counts: String {
    let always = ["recorded", "replayed", "unmatched", "unused", "upstream connections opened"]
    let parts = [
      (recorded, "recorded"), (redacted, "redacted"), (secrets.count - unsearchedBodies, "secrets found"),
      (unsearchedBodies, "bodies not searched"),
      (replayed, "replayed"), (otherClients, "of them recorded for another client"),
      (drifted, "of them drifted"), (repeated, "of them repeated"), (unmatched, "unmatched"),
      (unused, "unused"), (overridden, "overridden"), (forwarded, "passed through"),
      (oversized, "too large to record"), (left, "left by the client"), (failed, "failed"),
      (upstreamConnections, "upstream connections opened"),
    ]
    return parts.filter { $0.0 > 0 || always.contains($0.1) }.map { "\($0.0) \($0.1)" }
      .joined(separator: ", ")
  }

  private var unsearchedBodies: Int { secrets.count { $0.isUnsearchedBody } }

  private static func times(_ count: Int) -> String { count > 1 ? ", \(count) times" : "" }

  private var unmatchedLines: [String] {
    let listed = unmatchedRequests.prefix(Self.maximumListed)
    let rest = unmatched - listed.reduce(0) { $0 + $1.count }
    return listed.flatMap(Self.lines) + (rest > 0 ? ["unmatched: and \(rest) more"] : [])
  }

  /// The request, the nearest recording, and the command that fits best.
  private static func lines(_ request: MissGroup) -> [String] {
    var line = "unmatched: \(request.miss.method) \(request.miss.target)\(times(request.count))"
    if let nearest = request.miss.nearest.first {
      let differences = nearest.differences.prefix(maximumDifferences).map(\.description)
      let rest = nearest.differences.count - differences.count
      let more = rest > 0 ? ["and \(rest) more"] : []
      line += "; nearest \(nearest.file): " + (differences + more).joined(separator: "; ")
      if differences.isEmpty { line += "all its responses were served" }
    }
    return [line] + (request.miss.fixes.first.map { ["  \($0.because): \($0.command)"] } ?? [])
  }

  private var failedLines: [String] {
    let lines = failures.prefix(Self.maximumListed).map {
      "failed: \($0.method) \($0.target)\(Self.times($0.count)): \($0.failure.detail)"
    }
    let rest = failures.dropFirst(Self.maximumListed).reduce(0) { $0 + $1.count } + otherFailures
    return lines + (rest > 0 ? ["failed: … and \(rest) more; see --report"] : [])
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
      lines.append("sealed \(cassette): \(filesWritten) files written, \(filesRemoved) removed")
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
