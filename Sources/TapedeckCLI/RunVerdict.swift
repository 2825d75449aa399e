internal import TapedeckProxy

/// How a run ends. Of several codes that apply the smallest is given: 1 before 3, and 3 before 4, since what was not
/// answered explains much of what was not used.
struct RunVerdict {
  let code: ExitCode
  /// Why it failed a rule, in sentences.
  let reasons: [String]

  init(_ summary: ProxySummary, rules: [RunRule]) {
    reasons = rules.compactMap { rule in
      let count = summary.breaches(of: rule)
      return count > 0 ? "failed: \(Self.text(rule, count))" : nil
    }
    if summary.recordingFailure != nil {
      code = .failure
    } else if summary.unmatched > 0, !rules.contains(.unmatched) {
      code = .unmatched
    } else {
      code = reasons.isEmpty ? .good : .strictness
    }
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
