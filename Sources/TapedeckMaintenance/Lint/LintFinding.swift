/// A mistake or a risk in a cassette.
package struct LintFinding: Sendable, Equatable {
  package enum Severity: String, Sendable, CaseIterable, Comparable {
    /// Replay fails or is wrong.
    case error
    /// Replay works, but probably not as intended.
    case warning
    /// Worth a thought.
    case info

    package static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  /// The rule, by its name in JSON reports.
  package enum Rule: String, Sendable, CaseIterable {
    case unreadable
    case noManifest = "no-manifest"
    case journal
    case debris
    case name
    case numbering
    case orphanBody = "orphan-body"
    case contentLength = "content-length"
    case failureRecorded = "failure-recorded"
    case localAddress = "local-address"
    case severalHosts = "several-hosts"
    case largeBody = "large-body"
    case expiredCookie = "expired-cookie"
    case har
    case notCarriedOver = "not-carried-over"
    case overrides
  }

  package var severity: Severity
  package var rule: Rule
  /// The file in the cassette, or the place in the file; empty for the whole.
  package var file: String
  /// One sentence about the problem and what to do.
  package var text: String
  /// Whether `lint --fix` can fix it.
  package var isFixable: Bool

  package init(_ severity: Severity, _ rule: Rule, _ file: String, _ text: String, isFixable: Bool = false) {
    self.severity = severity
    self.rule = rule
    self.file = file
    self.text = text
    self.isFixable = isFixable
  }
}
