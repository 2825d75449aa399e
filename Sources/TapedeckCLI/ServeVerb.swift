internal import TapedeckProxy

/// `record`, `replay` and `serve`: one proxy, from its start to its summary.
enum ServeVerb {
  static func run(_ settings: ServeSettings) throws -> ExitCode {
    Signals.block()
    DescriptorLimit.raise()
    for warning in settings.warnings { Terminal.say(warning) }
    let proxy = try ProxyServer(settings.proxy)
    if proxy.recoveredCount > 0 {
      Terminal.say(
        "recovered \(proxy.recoveredCount) interactions that an earlier run had left in its journal")
    }
    for warning in proxy.warnings { Terminal.say("warning: \(warning)") }
    if !proxy.isLoopback {
      Terminal.say(
        "warning: \(proxy.baseURL) can be reached from other machines; anyone who reaches it can use it")
    }
    do {
      if let file = settings.readyFile { try ReadyFile.write(proxy.baseURL, to: file) }
    } catch {
      _ = try proxy.stop()
      throw error
    }
    Terminal.say("listening on \(proxy.baseURL)")
    Signals.wait()
    let summary = try proxy.stop()
    tell(summary, settings)
    return exitCode(summary)
  }

  private static func tell(_ summary: ProxySummary, _ settings: ServeSettings) {
    var parts = [
      "\(summary.recorded) recorded", "\(summary.replayed) replayed", "\(summary.unmatched) unmatched",
      "\(summary.unused) unused",
    ]
    if summary.repeated > 0 { parts.insert("\(summary.repeated) of them repeated", at: 2) }
    if summary.overridden > 0 { parts.append("\(summary.overridden) overridden") }
    if summary.forwarded > 0 { parts.append("\(summary.forwarded) passed through") }
    if summary.oversized > 0 { parts.append("\(summary.oversized) too large to record") }
    if summary.failed > 0 { parts.append("\(summary.failed) failed") }
    parts.append("\(summary.upstreamConnections) upstream connections opened")
    Terminal.say(parts.joined(separator: ", "))
    if summary.filesWritten + summary.filesRemoved > 0, let cassette = settings.proxy.cassette {
      Terminal.say(
        "sealed \(cassette): \(summary.filesWritten) files written, \(summary.filesRemoved) removed")
    }
    if let failure = summary.recordingFailure {
      let kept =
        summary.recorded > 0 ? "; what came before is in the journal, and the next recording saves it" : ""
      Terminal.say("the recording is not complete: \(failure)\(kept)")
    }
  }

  private static func exitCode(_ summary: ProxySummary) -> ExitCode {
    if summary.recordingFailure != nil { return .failure }
    return summary.unmatched > 0 ? .unmatched : .good
  }
}
