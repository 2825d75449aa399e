import TapedeckHTTP
public import TapedeckRedaction

/// The changes that sealing made to a cassette.
public struct SealReport: Sendable, Equatable {
  public var written = 0
  /// Interactions that were recorded again without a change.
  public var unchanged = 0
  /// Files removed because a replaced request was sent less often this time.
  public var removed = 0
  /// When everything was recorded again: files of requests that were not sent, sorted by name.
  public var untouched: [String] = []
  /// The number of earlier interactions in which a secret was hidden that this session revealed.
  public var rehidden = 0
  public var finds: [SecretFind] = []
  /// The content codings of bodies that could not be searched, as far as nobody was told while recording.
  public var unsearchedCodings: [String] = []
  /// Warnings about left-out lines, each with file and number.
  public var warnings: [String] = []

  public init() {}
}

/// Turns a journal into interaction files.
///
/// Everything new is written under temporary names and made durable with one sync before the first rename, so
/// a failure leaves the cassette as it was. Renames follow, then removals, and when all of that is durable,
/// the journal is removed. Sealing again from the same journal after an interruption gives the same files.
package struct Sealer: Sendable {
  let directory: CassetteDirectory
  var journal: OpenFile
  let matcher: RequestMatcher
  let isReplacing: Bool
  let origins: CassetteOrigins
  var template: CassetteManifest?
  /// The new rewrite rules of the cassette; `nil` leaves them unchanged.
  var rewriting: RewriteRules?
  /// How clients reach several origins; `nil` leaves that unchanged.
  var upstreams: RecordedUpstreams?
  let isDurable: Bool
  var refusesSecrets = false

  package static let temporaryPrefix = ".tapedeck-"
  /// How many files are staged before progress is told again.
  private static let batchFiles = 1024

  /// - Parameters:
  ///   - late: hides secrets of the session in the files of earlier ones.
  ///   - progress: called before each interaction with the number done and the total.
  func seal(
    _ entries: [SealPlan.Recording], hiding late: LateRedaction? = nil,
    progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws(CassetteError) -> SealReport {
    let reader = CassetteReader(directory, matcher: matcher)
    var index = try CassetteIndex(reader, hiding: late)
    let plan = SealPlan(existing: index.files, recordings: entries, isReplacing: isReplacing)
    var report = SealReport()
    report.removed = plan.removals.count
    if isReplacing, !entries.isEmpty {
      report.untouched = Set(index.files.map { $0.name }).subtracting(plan.names).subtracting(plan.removals)
        .sorted()
    }
    let moved = Self.moved(index, plan)
    let staged = try stageAll(
      entries, plan: plan, index: &index, reader: reader, report: &report, progress: progress)
    for name in plan.removals { index.bodies[name] = nil }
    let needless: [String]
    do throws(CassetteError) {
      needless = try unreferencedBodies(index)
      if isDurable, !staged.isEmpty { try directory.syncFileSystem() }
    } catch {
      discard(staged)
      throw error
    }
    let folders = CassetteNames.folders(of: staged.map(\.name) + plan.removals + moved)
    try makeFolders(folders, for: staged)
    try renameAll(staged)
    for name in plan.removals + moved + needless { try directory.remove(name) }
    for folder in folders + [BodyFile.folder] { directory.removeFolder(folder) }
    if isDurable { try directory.sync(folders: folders) }
    try finish()
    return report
  }

  /// The old names of changed files, as far as nothing else gets them.
  private static func moved(_ index: CassetteIndex, _ plan: SealPlan) -> [String] {
    let used = Set(plan.names).union(index.changes.map(\.new))
    return index.changes.map(\.old).filter { !used.contains($0) }
  }

  private func makeFolders(
    _ folders: [String], for staged: [(temporary: String, name: String)]
  ) throws(CassetteError) {
    do throws(CassetteError) {
      for folder in folders { try directory.makeFolder(folder) }
    } catch {
      for folder in folders { directory.removeFolder(folder) }
      discard(staged)
      throw error
    }
  }

  func finish() throws(CassetteError) {
    if isDurable { try directory.sync() }
    try directory.remove(CassetteNames.journal)
    if isDurable { try directory.sync() }
  }

  /// From here on a failure undoes nothing: the journal stays until everything is done.
  private func renameAll(_ staged: [(temporary: String, name: String)]) throws(CassetteError) {
    for (index, file) in staged.enumerated() {
      do throws(CassetteError) {
        try directory.rename(file.temporary, to: file.name)
      } catch {
        discard(staged[index...])
        throw error
      }
    }
  }

  private func discard(_ staged: some Sequence<(temporary: String, name: String)>) {
    for file in staged { try? directory.remove(file.temporary) }
  }

  /// Removes unneeded bodies after a reported failure; leaves a non-empty journal to the next start.
  func abandon(_ entries: [JournalPlace]) {
    do throws(CassetteError) {
      var index = try CassetteIndex(CassetteReader(directory, matcher: matcher))
      for (number, entry) in entries.enumerated() {
        let tree = try record(at: entry.offset, count: entry.count).tree
        index.bodies["\(number)"] = InteractionFormat.bodyNames(tree)
      }
      for name in try unreferencedBodies(index) { try directory.remove(name) }
      directory.removeFolder(BodyFile.folder)
    } catch {}
    if entries.isEmpty { try? finish() }
  }
}

// MARK: - Staging

extension Sealer {
  private func stageAll(
    _ entries: [SealPlan.Recording], plan: SealPlan, index: inout CassetteIndex, reader: CassetteReader,
    report: inout SealReport, progress: (_ done: Int, _ total: Int) -> Void
  ) throws(CassetteError) -> [(temporary: String, name: String)] {
    var staged: [(temporary: String, name: String)] = []
    var version = 1
    do throws(CassetteError) {
      var start = 0
      while start < entries.count {
        let batch = (start..<min(start + Self.batchFiles, entries.count)).map {
          (number: $0, name: plan.names[$0], entry: entries[$0])
        }
        for item in batch { progress(item.number, entries.count) }
        // Before they are there, so that a failure on any thread leaves none behind.
        let before = staged.count
        staged += batch.map { (Self.temporary($0.number), $0.name) }
        let files = try Workers.map(batch) { [self] batch throws(CassetteError) in
          let reader = CassetteReader(directory, matcher: matcher)
          return try batch.map { item throws(CassetteError) in
            try stage(item.entry, item.number, as: item.name, reader)
          }
        }
        staged.replaceSubrange(before..., with: zip(staged[before...], files).filter { $1.isNew }.map(\.0))
        for file in files {
          index.bodies[file.name] = file.bodyNames
          index.origins[file.name] = file.origin
          report.finds += file.finds
          version = max(version, file.version)
          report.unchanged += file.isNew ? 0 : 1
          report.written += file.isNew ? 1 : 0
        }
        start += batch.count
      }
      if refusesSecrets, !report.finds.isEmpty {
        throw CassetteError.secretsFound(directory: directory.path, finds: report.finds, isKept: true)
      }
      let replaced = Set(plan.names).union(plan.removals)
      for change in index.changes where !replaced.contains(change.new) {
        try stage(
          InteractionFormat.fileBytes(change.tree), entries.count + report.rehidden, as: change.new,
          in: &staged)
        version = max(version, InteractionFormat.version(of: change.tree))
        report.rehidden += 1
      }
      for name in plan.removals { index.origins[name] = nil }
      guard !entries.isEmpty else { return staged }
      try stageManifest(
        reader, entries.count + report.rehidden, version: version, index.origins.values, in: &staged)
    } catch {
      discard(staged)
      throw error
    }
    return staged
  }

  /// The format version of an existing file, which the manifest may lack after a crash.
  private static func version(of present: [UInt8], whichIs tree: JSONValue) -> Int {
    guard InteractionFormat.version(of: tree) > 1, let value = try? JSONValue(parsing: present) else {
      return 1
    }
    return InteractionFormat.version(of: value)
  }

  private static func temporary(_ number: Int) -> String { "\(temporaryPrefix)\(number).tmp" }

  /// What sealing makes of one entry of the journal.
  private struct StagedFile: Sendable {
    let name: String
    let bodyNames: [String]
    let origin: HTTPOrigin?
    let finds: [SecretFind]
    var version = 1
    /// Whether it is staged; the file that is there has the same content otherwise.
    var isNew = true
  }

  private func stage(
    _ entry: SealPlan.Recording, _ number: Int, as name: String, _ reader: CassetteReader
  ) throws(CassetteError) -> StagedFile {
    let tree = try record(at: entry.offset, count: entry.count).tree
    let scanner = matcher.redaction.rules.map { SecretScanner(keep: $0.keep) }
    var file = StagedFile(
      name: name, bodyNames: InteractionFormat.bodyNames(tree),
      origin: tree["origin"]?.text.flatMap { HTTPOrigin($0) },
      finds: try scanner.map { scanner throws(CassetteError) in try finds(in: tree, name, scanner) } ?? [])
    if let present = try directory.contents(of: name, limit: CassetteLimits.fileBytes),
      isSame(present, as: tree, name: name, reader: reader)
    {
      file.version = Self.version(of: present, whichIs: tree)
      file.isNew = false
    } else {
      file.version = InteractionFormat.version(of: tree)
      // With a secret nothing is sealed.
      if !refusesSecrets || file.finds.isEmpty {
        try directory.createFile(Self.temporary(number), contents: InteractionFormat.fileBytes(tree))
      }
    }
    return file
  }

  private func stage(
    _ bytes: [UInt8], _ number: Int, as name: String, in staged: inout [(temporary: String, name: String)]
  ) throws(CassetteError) {
    let temporary = Self.temporary(number)
    staged.append((temporary, name))
    try directory.createFile(temporary, contents: bytes)
  }

  private func stageManifest(
    _ reader: CassetteReader, _ number: Int, version: Int, _ named: some Sequence<HTTPOrigin>,
    in staged: inout [(temporary: String, name: String)]
  ) throws(CassetteError) {
    let present = try reader.manifest()
    var manifest = present ?? template ?? CassetteManifest(origins)
    manifest.formatVersion = max(manifest.formatVersion, version)
    manifest.rules = matcher.rules
    manifest.redaction = matcher.redaction
    if let rewriting { manifest.rewriting = rewriting }
    if origins == .several {
      (manifest.upstream, manifest.origins) = (nil, Set(named).map { "\($0)" }.sorted())
      manifest.upstreams = manifest.upstreams(after: upstreams)
    } else {
      (manifest.upstream, manifest.origins) = (origins.upstream ?? manifest.upstream, nil)
      manifest.upstreams = nil
    }
    guard manifest != present else { return }
    try stage(manifest.fileBytes, number, as: CassetteNames.manifest, in: &staged)
  }

  private func finds(
    in tree: JSONValue, _ name: String, _ scanner: SecretScanner
  ) throws(CassetteError) -> [SecretFind] {
    // A separate loader, so that only one exchange's bodies are held.
    let interaction = try InteractionFormat.decode(
      tree, in: journal.path, loader: BodyLoader(directory: directory))
    let finds = try scanner.finds(in: interaction, file: name)
    // A body that cannot be searched was told of when it came.
    return refusesSecrets ? finds : finds.filter { !$0.isUnsearchedBody }
  }

  /// Whether a file has the same content, ignoring layout and volatile facts.
  private func isSame(_ present: [UInt8], as tree: JSONValue, name: String, reader: CassetteReader) -> Bool {
    let stable = InteractionFormat.stableBytes(tree)
    let beforeVolatile = stable[..<(stable.count - "\n}\n".utf8.count)]
    if present.starts(with: beforeVolatile),
      present[beforeVolatile.count...].starts(with: ",\n  \"volatile\": ".utf8)
    {
      return true
    }
    guard let value = try? JSONValue(parsing: present),
      let stored = try? reader.interaction(value, name: name, in: name),
      let written = try? InteractionFormat.encode(
        stored.interaction, store: { BodyFile(unwritten: $0, in: directory) })
    else { return false }
    return InteractionFormat.comparableBytes(written) == InteractionFormat.comparableBytes(tree)
  }

  // MARK: Tidying

  /// Removes files that a crash left half written. The caller must hold the lock.
  static func removeDebris(_ directory: CassetteDirectory) throws(CassetteError) {
    for name in try directory.names() where name.hasPrefix(temporaryPrefix) { try directory.remove(name) }
    for name in try directory.names(in: BodyFile.folder) where name.hasPrefix(BodySpool.prefix) {
      try directory.remove("\(BodyFile.folder)/\(name)")
    }
  }

  private func unreferencedBodies(_ index: CassetteIndex) throws(CassetteError) -> [String] {
    let kept = Set(index.bodies.values.joined())
    return try directory.names(in: BodyFile.folder).compactMap { leaf in
      let name = "\(BodyFile.folder)/\(leaf)"
      let isOurs = BodyFile.isName(name) || leaf.hasPrefix(BodySpool.prefix)
      return isOurs && !kept.contains(name) ? name : nil
    }
  }
}
