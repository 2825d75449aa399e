/// How much a change of an API matters to those who use it.
public enum DriftSeverity: String, Sendable, CaseIterable, Comparable {
  /// Worth knowing: a client that reads what it was built to read goes on.
  case info
  /// May break a client that relied on more than it should have.
  case notable
  /// Breaks a client that reads what was there.
  case breaking

  public static func < (left: DriftSeverity, right: DriftSeverity) -> Bool { left.rank < right.rank }

  private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
