import TapedeckHTTP
import TapedeckRecording
import TapedeckRedaction

/// Scans every file of a cassette: interactions by their parts, with their bodies; the journal of a recording or a
/// crash; and other files as they are.
struct CassetteScan {
  private(set) var unit: SecretScan.Unit
  private let directory: CassetteDirectory
  private let scanner: SecretScanner
  private var bodies: Set<String> = []

  init(
    _ directory: CassetteDirectory, keep: [String], until isEnded: () -> Bool = { false },
    onFile: (String) -> Void
  ) {
    self.directory = directory
    unit = SecretScan.Unit(path: directory.path, kind: .cassette)
    let journal = try? directory.openForReading(CassetteNames.journal).flatMap(JournalHeader.init(of:))
    scanner = SecretScanner(
      keep: keep + Self.keep(directory.path) + (journal?.redaction?.rules?.keep ?? []))
    trying { scan throws(CassetteError) in
      let folders = try scan.directory.foldersOfHosts()
      let inFolders = folders.flatMap { folder, leaves in leaves.map { "\(folder)/\($0)" } }
      for name in try scan.directory.names() + inFolders {
        // Hidden files are skipped, except the half-written ones that a crash of Tapedeck left.
        let isHidden =
          name.hasPrefix(".") && !name.hasPrefix(Sealer.temporaryPrefix) || name.contains("/.")
        guard !isHidden, !isEnded(), !scan.directory.isFolder(name) else { continue }
        onFile(scan.directory.path(of: name))
        scan.unit.fileCount += 1
        scan.trying { scan throws(CassetteError) in try scan.read(name) }
      }
      for leaf in try scan.directory.names(in: BodyFile.folder) where !isEnded() {
        let name = "\(BodyFile.folder)/\(leaf)"
        scan.unit.fileCount += 1
        if scan.bodies.contains(name) { continue }
        onFile(scan.directory.path(of: name))
        scan.trying { scan throws(CassetteError) in try scan.read(other: name) }
      }
    }
  }

  /// Names and kinds of secrets that a cassette does not redact.
  static func keep(_ path: String) -> [String] {
    let manifest = try? CassetteReader(CassetteDirectory(opening: path)).manifest()
    return manifest?.redaction?.rules?.keep ?? []
  }

  static func isOfSeveralOrigins(_ path: String) -> Bool {
    (try? CassetteReader(CassetteDirectory(opening: path)).manifest())?.origins != nil
  }

  /// Turns an error into a problem of the unit, so that the scan goes on.
  private mutating func trying(_ read: (inout CassetteScan) throws(CassetteError) -> Void) {
    do throws(CassetteError) { try read(&self) } catch { unit.problems.append("\(error)") }
  }

  private mutating func read(_ name: String) throws(CassetteError) {
    if name == CassetteNames.journal { return try readJournal() }
    if name == CassetteNames.manifest { _ = try CassetteReader(directory).manifest() }
    guard CassetteNames.isInteraction(name) else { return try read(other: name) }
    guard let bytes = try directory.contents(of: name, limit: CassetteLimits.fileBytes) else { return }
    do throws(CassetteError) {
      let (tree, interaction) = try directory.decoded(bytes, of: name)
      bodies.formUnion(InteractionFormat.bodyNames(tree))
      unit.finds += try scanner.finds(in: interaction, file: name)
    } catch {
      // A file that cannot be read as an interaction may still hold a secret.
      unit.finds += scanner.finds(in: bytes, file: name)
      throw error
    }
  }

  private mutating func readJournal() throws(CassetteError) {
    guard let file = try directory.openForReading(CassetteNames.journal) else { return }
    var number = 1
    var failure: CassetteError?
    _ = try Journal(reading: file, isJoining: true) { entry throws(CassetteError) in
      number += 1
      do throws(CassetteError) {
        let tree = entry.record.tree
        let interaction = try InteractionFormat.decode(
          tree, in: entry.file, loader: BodyLoader(directory: directory))
        bodies.formUnion(InteractionFormat.bodyNames(tree))
        let found = try scanner.finds(in: interaction, file: CassetteNames.journal)
        unit.finds += found.map { $0.inFile(CassetteNames.journal, line: number) }
      } catch { failure = error }
    }
    if let failure { throw failure }
  }

  private mutating func read(other name: String) throws(CassetteError) {
    guard let size = try directory.size(of: name) else {
      throw .notAPlainFile(path: directory.path(of: name))
    }
    if size <= CassetteLimits.fileBytes {
      let bytes = try directory.contents(of: name, limit: CassetteLimits.fileBytes) ?? []
      unit.finds += scanner.finds(in: bytes, file: name)
    } else {
      let body = BodyFile(name: name, size: size, directory: directory)
      unit.finds += try scanner.finds(in: body, at: "").map { $0.inFile(name) }
    }
  }
}

extension CassetteDirectory {
  /// The folders of the hosts, with the names in them; empty unless the cassette is of several origins.
  func foldersOfHosts() throws(CassetteError) -> [(folder: String, leaves: [String])] {
    try (try? origins()) == .several ? folders(names()) : []
  }
}
