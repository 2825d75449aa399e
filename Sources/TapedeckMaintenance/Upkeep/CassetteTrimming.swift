package import TapedeckRecording

/// Removes from a cassette what a run did not use.
package struct CassetteTrimming: Sendable {
  /// Removed interaction files, in the order of their names.
  package private(set) var removed: [String] = []
  /// Renumbered files, by their old and new names.
  package private(set) var renamed: [(old: String, new: String)] = []
  /// How many body files nothing needs any more.
  package private(set) var removedBodies = 0
  /// How many interactions stay.
  package private(set) var keptCount = 0

  /// Removes the interactions of these names.
  /// - Parameters:
  ///   - unused: names of interaction files.
  ///   - known: every name the cassette had when the run was made; where it has others by now the names in `unused` may
  ///     mean other interactions, and nothing is done. Nil where the names were given by hand.
  ///   - isRehearsal: whether nothing is changed.
  package init(
    _ path: String, unused: Set<String>, known: Set<String>?, isRehearsal: Bool
  ) throws(CassetteError) {
    let tidying = try CassetteTidying(path)
    do throws(CassetteError) {
      try Self.check(path, names: Set(tidying.cassette.answers.map(\.fileName)), unused: unused, known: known)
    } catch {
      try? tidying.abandon()
      throw error
    }
    let plan = TidyPlan(tidying.cassette.planned, removing: unused, followsKeys: false)
    removed = plan.removals
    renamed = plan.renames.map { ($0.old, $0.new) }
    keptCount = tidying.cassette.count - removed.count
    if isRehearsal {
      removedBodies = try tidying.orphans(without: unused).count
      try tidying.abandon()
    } else {
      removedBodies = try tidying.finish(plan)
    }
  }

  private static func check(
    _ path: String, names: Set<String>, unused: Set<String>, known: Set<String>?
  ) throws(CassetteError) {
    guard let known else {
      if let absent = unused.subtracting(names).min() {
        throw .refused(path: path, reason: "it has no interaction \(absent)")
      }
      return
    }
    guard names == known else {
      let changed = names.symmetricDifference(known).sorted()
      throw .refused(
        path: path,
        reason:
          "the cassette is not the one the report is about: \(changed.prefix(3).joined(separator: ", ")) "
          + "\(changed.count > 3 ? "and \(changed.count - 3) more " : "")came or went since; "
          + "run the tests again with --report and trim by that")
    }
    guard unused.isSubset(of: names), unused != names || names.isEmpty else {
      throw .refused(
        path: path,
        reason: "the report says that the run used nothing at all of it; is it a report on another cassette?")
    }
  }
}
