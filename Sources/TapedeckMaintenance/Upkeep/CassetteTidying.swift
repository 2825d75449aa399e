import TapedeckFormats
import TapedeckHTTP
import TapedeckRecording

/// A cassette locked for changing its files, as for recording: a left-over journal is sealed first, and half-written files
/// of a crash are removed.
///
/// Every step (a removal, a rename) is one of the file system's and leaves a cassette that replays the kept responses in
/// their order, so an interrupted tidying loses nothing; the next one continues it.
final class CassetteTidying {
  /// How many interactions were in a left-over journal.
  var recoveredCount: Int { recorder.recoveredCount }
  private let recorder: CassetteRecorder
  private let directory: CassetteDirectory
  let cassette: Cassette
  /// The body files that each interaction file needs.
  private let bodies: [String: [String]]

  /// Throws `absent` where there is no cassette.
  init(_ path: String) throws(CassetteError) {
    // Before the lock, since taking it would make a cassette where there is none.
    let upstream = try Cassette.open(path).upstream
    recorder = try CassetteRecorder.open(path, upstream: upstream, replacing: false)
    do throws(CassetteError) {
      directory = try CassetteDirectory(opening: path)
      cassette = try Cassette.open(path)
      bodies = try Self.bodies(cassette, in: directory)
    } catch {
      _ = try? recorder.seal()
      throw error
    }
  }

  private static func bodies(
    _ cassette: Cassette, in directory: CassetteDirectory
  ) throws(CassetteError) -> [String: [String]] {
    var bodies: [String: [String]] = [:]
    for stored in cassette.answers {
      let path = directory.path(of: stored.fileName)
      let bytes = try directory.contents(of: stored.fileName, limit: CassetteLimits.fileBytes) ?? []
      bodies[stored.fileName] = InteractionFormat.bodyNames(try JSONFile.parse(bytes, file: path))
    }
    return bodies
  }

  /// Carries out a plan, removes bodies that nothing needs any more, and unlocks the cassette.
  /// - Returns: how many bodies were removed.
  func finish(_ plan: TidyPlan) throws(CassetteError) -> Int {
    do throws(CassetteError) {
      for name in plan.removals { try directory.remove(name) }
      for rename in plan.steps { try directory.rename(rename.old, to: rename.new) }
      let orphans = try orphans(without: Set(plan.removals))
      for name in orphans { try directory.remove(name) }
      directory.removeFolder(BodyFile.folder)
      try directory.sync()
      _ = try recorder.seal()
      return orphans.count
    } catch {
      _ = try? recorder.seal()
      throw error
    }
  }

  /// Unlocks the cassette without a change.
  func abandon() throws(CassetteError) { _ = try recorder.seal() }

  /// Bodies that no file needs once others are removed.
  func orphans(without removed: Set<String>) throws(CassetteError) -> [String] {
    let needed = Set(bodies.filter { !removed.contains($0.key) }.values.joined())
    return try directory.names(in: BodyFile.folder).map { "\(BodyFile.folder)/\($0)" }
      .filter { BodyFile.isName($0) && !needed.contains($0) }
  }
}

extension Cassette {
  /// The files as input of a plan.
  var planned: [TidyPlan.File] {
    let order = recordedOrder
    return answers.map { stored in
      let rank = order[stored.key]?.firstIndex { $0 === stored } ?? 0
      return TidyPlan.File(
        name: stored.fileName, digest: stored.key.digest,
        prefix: CassetteNames.prefix(of: stored.interaction.request), rank: rank)
    }
  }
}
