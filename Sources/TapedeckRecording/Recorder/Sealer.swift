import TapedeckHTTP
import TapedeckRedaction

/// Turns a journal into interaction files.
///
/// Everything new is written under temporary names and made to last with one sync before the first rename, so that a
/// failure leaves the cassette as it was; then renames, then removals, and only when all of that lasts does the
/// journal go. Interrupted anywhere, sealing again from the same journal ends in the same files.
package struct Sealer {
  /// A recording and the place of its line.
  struct Entry {
    var recording: SealPlan.Recording
    var offset: Int
    var count: Int
    /// Sealed in place of the line when something in it was redacted later.
    var hidden: JSONValue?
  }

  let directory: CassetteDirectory
  let journal: OpenFile
  let matcher: RequestMatcher
  let isReplacing: Bool
  let upstream: String?
  /// The manifest of a new cassette.
  var template: CassetteManifest?
  /// The new rewrite rules of the cassette; nil leaves them as they are.
  var rewriting: RewriteRules?
  /// Whether to wait for the disk.
  let isDurable: Bool
  var refusesSecrets = false

  package static let temporaryPrefix = ".tapedeck-"

  func seal(_ entries: [Entry]) throws(CassetteError) -> SealReport {
    let reader = CassetteReader(directory, matcher: matcher)
    var index = try CassetteIndex(reader)
    let plan = SealPlan(
      existing: index.files, recordings: entries.map(\.recording), isReplacing: isReplacing)
    var report = SealReport()
    report.removed = plan.removals.count
    if isReplacing, !entries.isEmpty {
      report.untouched = Set(index.files.map(\.name)).subtracting(plan.names).subtracting(plan.removals)
        .sorted()
    }
    let staged = try stageAll(entries, plan: plan, index: &index, reader: reader, report: &report)
    for name in plan.removals { index.remove(name) }
    let needless: [String]
    do throws(CassetteError) {
      needless = try unreferencedBodies(keeping: index.bodyNames)
      if isDurable, !staged.isEmpty { try directory.syncFileSystem() }
    } catch {
      discard(staged)
      throw error
    }
    try renameAll(staged)
    for name in plan.removals + needless { try directory.remove(name) }
    directory.removeFolder(BodyFile.folder)
    try finish()
    return report
  }

  /// Makes the end of the journal the last thing that happens.
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

  /// Leaves the files as they are, the journal to the next start unless it is empty, and as little else as the disk
  /// lets us. The failure that led here has been told.
  func abandon(_ entries: [Entry]) {
    do throws(CassetteError) {
      var index = try CassetteIndex(CassetteReader(directory, matcher: matcher))
      for (number, entry) in entries.enumerated() {
        index.setBodies(InteractionFormat.bodyNames(try tree(of: entry)), of: "\(number)")
      }
      for name in try unreferencedBodies(keeping: index.bodyNames) { try directory.remove(name) }
      directory.removeFolder(BodyFile.folder)
    } catch {}
    if entries.isEmpty { try? finish() }
  }
}

// MARK: - Staging

extension Sealer {
  /// Writes new content under temporary names, the manifest last.
  private func stageAll(
    _ entries: [Entry], plan: SealPlan, index: inout CassetteIndex, reader: CassetteReader,
    report: inout SealReport
  ) throws(CassetteError) -> [(temporary: String, name: String)] {
    var staged: [(temporary: String, name: String)] = []
    var version = 1
    let scanner = matcher.redaction.rules.map { SecretScanner(keep: $0.keep) }
    do throws(CassetteError) {
      for (entry, name) in zip(entries, plan.names) {
        let tree = try tree(of: entry)
        index.setBodies(InteractionFormat.bodyNames(tree), of: name)
        if let scanner { report.finds += try finds(in: tree, name, scanner) }
        if refusesSecrets, !report.finds.isEmpty { continue }
        if let present = try directory.contents(of: name, limit: CassetteLimits.fileBytes),
          isSame(present, as: tree, name: name, reader: reader)
        {
          version = max(version, Self.version(of: present, whichIs: tree))
          report.unchanged += 1
        } else {
          try stage(InteractionFormat.fileBytes(tree), as: name, in: &staged)
          version = max(version, InteractionFormat.version(of: tree))
          report.written += 1
        }
      }
      if refusesSecrets, !report.finds.isEmpty {
        throw CassetteError.secretsFound(directory: directory.path, finds: report.finds, isKept: true)
      }
      if !entries.isEmpty { try stageManifest(reader, version: version, in: &staged) }
    } catch {
      discard(staged)
      throw error
    }
    return staged
  }

  /// The format version of a file that is there. A crash may have kept it from the manifest.
  private static func version(of present: [UInt8], whichIs tree: JSONValue) -> Int {
    guard InteractionFormat.version(of: tree) > 1, let value = try? JSONValue(parsing: present) else {
      return 1
    }
    return InteractionFormat.version(of: value)
  }

  private func stage(
    _ bytes: [UInt8], as name: String, in staged: inout [(temporary: String, name: String)]
  ) throws(CassetteError) {
    let temporary = "\(Self.temporaryPrefix)\(staged.count).tmp"
    staged.append((temporary, name))
    try directory.createFile(temporary, contents: bytes)
  }

  private func stageManifest(
    _ reader: CassetteReader, version: Int, in staged: inout [(temporary: String, name: String)]
  ) throws(CassetteError) {
    let present = try reader.manifest()
    var manifest = present ?? template ?? CassetteManifest(upstream: upstream)
    manifest.formatVersion = max(manifest.formatVersion, version)
    manifest.rules = matcher.rules
    manifest.redaction = matcher.redaction
    if let rewriting { manifest.rewriting = rewriting }
    if let upstream { manifest.upstream = upstream }
    if manifest != present { try stage(manifest.fileBytes, as: CassetteNames.manifest, in: &staged) }
  }

  /// Scans an interaction that is about to be sealed.
  private func finds(
    in tree: JSONValue, _ name: String, _ scanner: SecretScanner
  ) throws(CassetteError) -> [SecretFind] {
    // A loader of its own, so that no more than one exchange's bodies are held.
    let interaction = try InteractionFormat.decode(
      tree, in: journal.path, loader: BodyLoader(directory: directory))
    return try scanner.finds(in: interaction, file: name)
  }

  private func tree(of entry: Entry) throws(CassetteError) -> JSONValue {
    if let hidden = entry.hidden { return hidden }
    let line = try journal.bytes(at: entry.offset, count: entry.count)
    guard let record = JournalRecord(line: line[...]) else {
      throw .damagedJournal(file: journal.path, line: 0, problem: "the checksum no longer agrees")
    }
    return record.tree
  }

  /// Whether a file says the same, apart from its volatile facts, wherever an earlier version kept them, and its layout.
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
      let written = try? InteractionFormat.encode(stored.interaction, store: unwritten)
    else { return false }
    return InteractionFormat.comparableBytes(written) == InteractionFormat.comparableBytes(tree)
  }

  /// Where a body would be stored.
  private func unwritten(_ body: [UInt8]) throws(CassetteError) -> BodyFile {
    BodyFile(name: BodyFile.name(digest: SHA256Digest(of: body)), size: body.count, directory: directory)
  }
}

// MARK: - Tidying

extension Sealer {
  /// Removes files that a crash left half written. The caller must hold the lock.
  static func removeDebris(_ directory: CassetteDirectory) throws(CassetteError) {
    for name in try directory.names() where name.hasPrefix(temporaryPrefix) { try directory.remove(name) }
    for name in try directory.names(in: BodyFile.folder) where name.hasPrefix(BodySpool.prefix) {
      try directory.remove("\(BodyFile.folder)/\(name)")
    }
  }

  private func unreferencedBodies(keeping kept: Set<String>) throws(CassetteError) -> [String] {
    var found: [String] = []
    for leaf in try directory.names(in: BodyFile.folder) {
      let name = "\(BodyFile.folder)/\(leaf)"
      let isOurs = BodyFile.isName(name) || leaf.hasPrefix(BodySpool.prefix)
      if isOurs, !kept.contains(name) { found.append(name) }
    }
    return found
  }
}
