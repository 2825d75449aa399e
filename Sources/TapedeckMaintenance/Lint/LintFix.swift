public import TapedeckRecording

/// Puts right what can be put right without asking anybody: names, numbers, bodies that nobody needs, and what a crash
/// left behind.
public struct LintFix: Sendable {
  /// Old and new name of each file that was renamed.
  public private(set) var renamed: [(old: String, new: String)] = []
  public private(set) var removedBodies = 0
  /// Interactions of a left-over journal that are files now.
  public private(set) var recoveredCount = 0

  /// - Throws: when something in the cassette cannot be read: then nobody can tell which bodies are needed.
  public init(_ path: String) throws(CassetteError) {
    let tidying = try CassetteTidying(path)
    let plan = TidyPlan(tidying.cassette.planned, followsKeys: true)
    recoveredCount = tidying.recoveredCount
    renamed = plan.renames.map { ($0.old, $0.new) }
    removedBodies = try tidying.finish(plan)
  }

  public var isEmpty: Bool { renamed.isEmpty && removedBodies == 0 && recoveredCount == 0 }
}
