internal import TapedeckProxy

/// How a run ends. Of several codes that apply the smallest is given: 1 before 3, and 3 before 4, since what was not
/// answered explains much of what was not used.
struct RunVerdict {
  private static let maximumListed = 10

  let code: ExitCode
  /// Why it failed, in sentences, and below each the interactions it is about.
  let reasons: [String]

  init(_ summary: ProxySummary, _ uses: [InteractionUse], mode: RecordMode, rules: [RunRule]) {
    let emptyRecording = summary.emptyRecording(mode)
    reasons =
      [emptyRecording].compactMap { $0 }
      + rules.flatMap { rule in
        let count = summary.breaches(of: rule)
        return count > 0 ? ["failed: \(Self.text(rule, count))"] + Self.listed(rule, uses) : []
      }
    if summary.recordingFailure != nil || emptyRecording != nil {
      code = .failure
    } else if summary.unmatched > 0, !rules.contains(.unmatched) {
      code = .unmatched
    } else {
      code = reasons.isEmpty ? .good : .strictness
    }
  }

  /// The interactions that break a rule. Requests that were unmatched and secrets are in the summary already.
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

  private static func text(_ rule: RunRule, _ count: Int) -> String {
    let (one, many) =
      switch rule {
      case .unused: ("recording was not used", "recordings were not used")
      case .drift: ("request drifted from its recording", "requests drifted from their recordings")
      case .secrets: ("secret is left in what was recorded", "secrets are left in what was recorded")
      case .unmatched: ("request was unmatched", "requests were unmatched")
      case .repeat:
        ("answer was given more often than recorded", "answers were given more often than recorded")
      }
    return "\(count) \(count == 1 ? one : many)"
  }
}
