internal import TapedeckHTTP
internal import TapedeckProxy
internal import TapedeckRecording

/// The end of a run for people: the counts, then what was unmatched and what drifted, as far as it can be read.
struct RunSummaryText {
  private static let maximumListed = 10
  private static let maximumDifferences = 3
  private static let maximumCharacters = 400

  private let summary: ProxySummary
  private let settings: ServeSettings

  init(_ summary: ProxySummary, _ settings: ServeSettings) {
    self.summary = summary
    self.settings = settings
  }

  var lines: [String] {
    ([counts] + failed + unmatched + drift + mentions + sealed + secrets).map { line in
      let text = Printable.line(line)
      return text.count > Self.maximumCharacters ? text.prefix(Self.maximumCharacters) + "…" : text
    } + untouched
  }

  private var counts: String {
    var parts = [
      "\(summary.recorded) recorded", "\(summary.replayed) replayed", "\(summary.unmatched) unmatched",
      "\(summary.unused) unused",
    ]
    if summary.redacted > 0 { parts.insert("\(summary.redacted) redacted", at: 1) }
    if !summary.secrets.isEmpty {
      parts.insert("\(summary.secrets.count) secrets found", at: parts.count - 3)
    }
    let behindReplayed = parts.count - 2
    if summary.repeated > 0 { parts.insert("\(summary.repeated) of them repeated", at: behindReplayed) }
    if summary.drifted > 0 { parts.insert("\(summary.drifted) of them drifted", at: behindReplayed) }
    if summary.otherClients > 0 {
      parts.insert("\(summary.otherClients) of them recorded for another client", at: behindReplayed)
    }
    if summary.overridden > 0 { parts.append("\(summary.overridden) overridden") }
    if summary.forwarded > 0 { parts.append("\(summary.forwarded) passed through") }
    if summary.oversized > 0 { parts.append("\(summary.oversized) too large to record") }
    if summary.left > 0 { parts.append("\(summary.left) left by the client") }
    if summary.failed > 0 { parts.append("\(summary.failed) failed") }
    parts.append("\(summary.upstreamConnections) upstream connections opened")
    return parts.joined(separator: ", ")
  }

  private var unmatched: [String] {
    let listed = summary.unmatchedRequests.prefix(Self.maximumListed)
    var lines = listed.flatMap(Self.lines)
    let rest = summary.unmatched - listed.reduce(0) { $0 + $1.count }
    if rest > 0 { lines.append("unmatched: and \(rest) more") }
    return lines
  }

  private var failed: [String] {
    let listed = summary.failures.prefix(Self.maximumListed)
    var lines = listed.map { exchange in
      let times = exchange.count > 1 ? ", \(exchange.count) times" : ""
      return "failed: \(exchange.method) \(exchange.target)\(times): \(exchange.failure.detail)"
    }
    let rest =
      summary.failures.dropFirst(Self.maximumListed).reduce(0) { $0 + $1.count } + summary.otherFailures
    if rest > 0 { lines.append("failed: … and \(rest) more; see --report") }
    return lines
  }

  /// What was asked and what came nearest, and the command that fits best.
  private static func lines(_ request: MissGroup) -> [String] {
    let times = request.count > 1 ? ", \(request.count) times" : ""
    var line = "unmatched: \(request.miss.method) \(request.miss.target)\(times)"
    if let nearest = request.miss.nearest.first {
      let differences = nearest.differences.prefix(maximumDifferences).map(\.description)
      let rest = nearest.differences.count - differences.count
      let more = rest > 0 ? ["and \(rest) more"] : []
      line += "; nearest \(nearest.file): " + (differences + more).joined(separator: "; ")
      if differences.isEmpty { line += "all its answers were given" }
    }
    return [line] + (request.miss.fixes.first.map { ["  \($0.because): \($0.command)"] } ?? [])
  }

  private var drift: [String] {
    let listed = summary.driftedFields.prefix(Self.maximumListed)
    var lines = listed.map { field in
      "drift: \(field.field) in \(field.count) \(field.count == 1 ? "request" : "requests"), like "
        + "\(field.recorded ?? "(absent)") → \(field.received ?? "(absent)")"
    }
    let rest = summary.driftedFields.count - listed.count
    if rest > 0 || summary.otherDrift > 0 { lines.append("drift: and in more places; see --report") }
    return lines
  }

  private var mentions: [String] {
    summary.originMentions.map { "the origin is named by \($0.description)" }
  }

  private var secrets: [String] {
    guard !summary.secrets.isEmpty, let cassette = settings.proxy.cassette else { return [] }
    let text = summary.sealRefusal ?? "warning: " + SecretAdvice.warning(summary.secrets, path: cassette)
    return text.split(separator: "\n").map(String.init)
  }

  /// Files of earlier runs, and the command that removes them, which is never shortened.
  private var untouched: [String] {
    let files = summary.untouchedFiles
    guard !files.isEmpty, let cassette = settings.proxy.cassette else { return [] }
    let listed = files.prefix(Self.maximumListed).joined(separator: ", ")
    let rest = files.count > Self.maximumListed ? ", and \(files.count - Self.maximumListed) more" : ""
    let names = files.map { ShellWord.quoted($0) }.joined(separator: " ")
    return [
      "\(HumanText.count(files.count, "file")) of earlier runs not recorded again: \(listed)\(rest)",
      "  if nothing needs \(files.count == 1 ? "it" : "them"): tapedeck trim \(ShellWord.quoted(cassette)) \(names)",
    ].map(Printable.line)
  }

  private var sealed: [String] {
    var lines: [String] = []
    if summary.filesWritten + summary.filesRemoved > 0, let cassette = settings.proxy.cassette {
      lines.append(
        "sealed \(cassette): \(summary.filesWritten) files written, \(summary.filesRemoved) removed")
    }
    if let failure = summary.recordingFailure {
      let kept =
        summary.recorded > 0 ? "; what came before is in the journal, and the next recording saves it" : ""
      lines.append("the recording is not complete: \(failure)\(kept)")
    }
    return lines
  }
}
