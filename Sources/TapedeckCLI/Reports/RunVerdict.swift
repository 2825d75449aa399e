internal import TapedeckProxy
internal import TapedeckRedaction

/// The exit code of a run. If several apply, the lowest wins: 1 before 3, and 3 before 4, since unmatched requests explain
/// many unused recordings.
struct RunVerdict {
  private static let maximumListed = 10

  let code: ExitCode
  /// The reasons of the failure, each followed by its interactions.
  let reasons: [String]

  init(_ summary: ProxySummary, _ uses: [InteractionUse], mode: RecordMode, rules: [RunRule]) {
    let emptyRecording = summary.emptyRecording(mode)
    let hasSecrets = summary.secrets.contains { !$0.isUnsearchedBody }
    let broken = rules.map { ($0, summary.breaches(of: $0)) }.filter { $0.1 > 0 }
    reasons =
      [emptyRecording].compactMap { $0 }
      + broken.flatMap { ["failed: \(Self.text($0, $1, hasSecrets: hasSecrets))"] + Self.listed($0, uses) }
    if summary.recordingFailure != nil || emptyRecording != nil {
      code = .failure
    } else if summary.unmatched > 0, !rules.contains(.unmatched) {
      code = .unmatched
    } else {
      code = reasons.isEmpty ? .good : .strictness
    }
  }

  /// The interactions that break a rule. The summary lists unmatched requests and secrets.
  private static func listed(_ rule: RunRule, _ uses: [InteractionUse]) -> [String] {
    let lines = uses.compactMap { use -> String? in
      let name = "\(use.method) \(use.target) (\(use.file))"
      return switch rule {
      case .unused: use.hits == 0 ? name : nil
      case .drift: use.drifted > 0 ? "\(name): \(use.drifted) of \(use.hits) requests" : nil
      case .repeat: use.repeated > 0 ? "\(name): \(use.repeated) more than recorded" : nil
      case .unmatched, .secrets: nil
      }
    }
    let rest = lines.count - maximumListed
    return lines.prefix(maximumListed).map { "  \($0)" } + (rest > 0 ? ["  … and \(rest) more"] : [])
  }

  /// - Parameter hasSecrets: whether what breaks the rule about secrets is not only bodies that were not searched.
  private static func text(_ rule: RunRule, _ count: Int, hasSecrets: Bool) -> String {
    let (one, many) =
      switch rule {
      case .unused: ("recording was not used", "recordings were not used")
      case .drift: ("request drifted from its recording", "requests drifted from their recordings")
      case .secrets where !hasSecrets:
        ("body that was recorded could not be searched", "bodies that were recorded could not be searched")
      case .secrets: ("secret is left in what was recorded", "secrets are left in what was recorded")
      case .unmatched: ("request was unmatched", "requests were unmatched")
      case .repeat:
        ("response was served more often than recorded", "responses were served more often than recorded")
      }
    return "\(count) \(count == 1 ? one : many)"
  }
}
