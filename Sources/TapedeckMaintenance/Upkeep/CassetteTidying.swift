import TapedeckFormats
import TapedeckHTTP
package import TapedeckRecording

/// Removes and renames files of a cassette.
package struct CassetteTidying: Sendable {
  /// Removed interaction files, in the order of their names.
  package private(set) var removed: [String] = []
  package private(set) var renamed: [(old: String, new: String)] = []
  /// The number of body files that are no longer needed.
  package private(set) var removedBodies = 0
  package private(set) var keptCount = 0
  /// The number of interactions sealed from a left-over journal.
  package private(set) var recoveredCount = 0

  package var isEmpty: Bool { renamed.isEmpty && removedBodies == 0 && recoveredCount == 0 }

  /// Makes all fixes that need no decision: names, numbers, unneeded bodies, and the remains of a crash.
  /// - Throws: if a file of the cassette cannot be read, since the needed bodies are then unknown.
  package init(fixing path: String) throws(CassetteError) {
    let locked = try LockedCassette(path)
    recoveredCount = locked.recoveredCount
    try carryOut(TidyPlan(locked.cassette.planned, followsKeys: true), on: locked)
  }

  /// Removes the interactions of these names.
  /// - Parameters:
  ///   - unused: names of interaction files.
  ///   - known: all names in the cassette at the time of the run. If they have changed since, the names in `unused` may
  ///     stand for other interactions, and the call throws. `nil` if the names were given by hand.
  ///   - isRehearsal: whether to change nothing.
  package init(
    trimming path: String, unused: Set<String>, known: Set<String>?, isRehearsal: Bool
  ) throws(CassetteError) {
    let locked = try LockedCassette(path)
    let names = Set(locked.cassette.interactions.map(\.fileName))
    if let reason = Self.refusal(names: names, unused: unused, known: known) {
      try? locked.unlock()
      throw .refused(path: path, reason: reason)
    }
    let plan = TidyPlan(locked.cassette.planned, removing: unused, followsKeys: false)
    try carryOut(plan, on: locked, isRehearsal: isRehearsal)
  }

  /// Renames files whose request has changed.
  init(_ locked: LockedCassette, changed: Set<String>) throws(CassetteError) {
    try carryOut(TidyPlan(locked.cassette.planned, followsKeys: false, changed: changed), on: locked)
  }

  private mutating func carryOut(
    _ plan: TidyPlan, on locked: LockedCassette, isRehearsal: Bool = false
  ) throws(CassetteError) {
    (removed, renamed) = (plan.removals, plan.renames)
    keptCount = locked.cassette.count - removed.count
    if isRehearsal {
      removedBodies = try locked.orphans(without: removed).count
      try locked.unlock()
    } else {
      removedBodies = try locked.finish(plan)
    }
  }

  private static func refusal(names: Set<String>, unused: Set<String>, known: Set<String>?) -> String? {
    guard let known else { return unused.subtracting(names).min().map { "it has no interaction \($0)" } }
    guard names == known else {
      let changed = names.symmetricDifference(known).sorted()
      return
        "the cassette is not the one the report is about: \(changed.prefix(3).joined(separator: ", ")) "
        + "\(changed.count > 3 ? "and \(changed.count - 3) more " : "")came or went since; "
        + "run the tests again with --report and trim by that"
    }
    guard unused.isSubset(of: names), unused != names || names.isEmpty else {
      return "according to the report, the run did not use it at all; is the report about another cassette?"
    }
    return nil
  }
}

/// A cassette locked for changes to its files, as for a recording: a left-over journal is sealed first, and half-written
/// files of a crash are removed.
///
/// Every step (a removal, a rename) is a single operation of the file system, and leaves a cassette that replays the kept
/// responses in their order. An interruption loses nothing, and the next run continues.
struct LockedCassette {
  let cassette: Cassette
  private let recorder: CassetteRecorder
  private let directory: CassetteDirectory

  var recoveredCount: Int { recorder.recoveredCount }

  /// Throws `absent` if there is no cassette.
  init(_ path: String) throws(CassetteError) {
    // Checked before locking, since the lock would create a cassette.
    let origins = try Cassette.open(path).recordedOrigins
    recorder = try CassetteRecorder.open(path, origins: origins, replacing: false)
    do throws(CassetteError) {
      directory = try CassetteDirectory(opening: path)
      cassette = try Cassette.open(path)
    } catch {
      _ = try? recorder.seal()
      throw error
    }
  }

  /// Carries out a plan, removes unneeded bodies, and unlocks the cassette.
  /// - Returns: the number of removed bodies.
  func finish(_ plan: TidyPlan) throws(CassetteError) -> Int {
    do throws(CassetteError) {
      let folders = CassetteNames.folders(of: plan.removals + plan.steps.flatMap { [$0.old, $0.new] })
      for name in plan.removals { try directory.remove(name) }
      for folder in CassetteNames.folders(of: plan.steps.map(\.new)) { try directory.makeFolder(folder) }
      for (old, new) in plan.steps { try directory.rename(old, to: new) }
      let orphans = try orphans(without: plan.removals)
      for name in orphans { try directory.remove(name) }
      for folder in folders + [BodyFile.folder] { directory.removeFolder(folder) }
      try directory.sync(folders: folders)
      try updateOrigins(without: plan.removals)
      try directory.sync()
      try unlock()
      return orphans.count
    } catch {
      try? unlock()
      throw error
    }
  }

  /// Writes into the manifest which origins are left.
  private func updateOrigins(without removed: [String]) throws(CassetteError) {
    let removed = Set(removed)
    let left = cassette.interactions.filter { !removed.contains($0.fileName) }
    guard var manifest = try CassetteReader(directory).manifest(), manifest.origins != nil else { return }
    let origins = Set(left.compactMap(\.recorded.request.origin)).map { "\($0)" }.sorted()
    guard origins != manifest.origins else { return }
    manifest.origins = origins
    let temporary = "\(Sealer.temporaryPrefix)manifest.tmp"
    try directory.createFile(temporary, contents: manifest.fileBytes)
    try directory.rename(temporary, to: CassetteNames.manifest)
  }

  func unlock() throws(CassetteError) { _ = try recorder.seal() }

  /// Bodies that no file needs after the removal of others.
  func orphans(without removed: [String]) throws(CassetteError) -> [String] {
    let removed = Set(removed)
    let needed = Set(cassette.interactions.filter { !removed.contains($0.fileName) }.flatMap(\.bodyNames))
    return try directory.names(in: BodyFile.folder).map { "\(BodyFile.folder)/\($0)" }
      .filter { BodyFile.isName($0) && !needed.contains($0) }
  }
}

extension Cassette {
  var planned: [TidyPlan.File] {
    let order = recordedOrder
    return interactions.map { stored in
      TidyPlan.File(
        name: stored.fileName, digest: stored.key.digest,
        prefix: CassetteNames.prefix(of: stored.interaction.request),
        rank: order[stored.key]?.firstIndex { $0 === stored } ?? 0)
    }
  }
}
