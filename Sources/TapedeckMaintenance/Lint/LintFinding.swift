/// Something in a cassette that is wrong, or that its owner will regret.
package struct LintFinding: Sendable, Equatable {
  package enum Severity: String, Sendable, CaseIterable, Comparable {
    /// It cannot be replayed, or not as it is meant to be.
    case error
    /// It replays, but is likely not what somebody wanted.
    case warning
    /// Worth a thought.
    case info

    package static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  /// What was looked for, by a word that does not change: reports are read by programs.
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
  /// The file in the cassette, or the place in the file; empty for the whole of it.
  package var file: String
  /// A sentence: what is the matter, and what to do about it.
  package var text: String
  /// Whether `lint --fix` puts it right.
  package var isFixable: Bool

  package init(_ severity: Severity, _ rule: Rule, _ file: String, _ text: String, isFixable: Bool = false) {
    self.severity = severity
    self.rule = rule
    self.file = file
    self.text = text
    self.isFixable = isFixable
  }
}
