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

  init(_ directory: CassetteDirectory, keep: [String], onFile: (String) -> Void) {
    self.directory = directory
    unit = SecretScan.Unit(path: directory.path, kind: .cassette)
    scanner = SecretScanner(keep: keep + Self.keep(directory.path) + Self.journalKeep(directory))
    trying { scan throws(CassetteError) in
      for name in try scan.directory.names() where !Self.isSkipped(name) {
        guard try scan.directory.size(of: name) != nil else { continue }
        onFile(scan.directory.path(of: name))
        scan.unit.fileCount += 1
        scan.trying { scan throws(CassetteError) in try scan.read(name) }
      }
      for leaf in try scan.directory.names(in: BodyFile.folder) {
        let name = "\(BodyFile.folder)/\(leaf)"
        scan.unit.fileCount += 1
        if scan.bodies.contains(name) { continue }
        onFile(scan.directory.path(of: name))
        scan.trying { scan throws(CassetteError) in try scan.read(other: name) }
      }
    }
  }

  /// Names and kinds of secrets that a cassette keeps.
  static func keep(_ path: String) -> [String] {
    let manifest = try? CassetteDirectory(opening: path)
    return manifest.flatMap { try? CassetteReader($0).manifest() }?.redaction?.rules?.keep ?? []
  }

  private static func journalKeep(_ directory: CassetteDirectory) -> [String] {
    guard let file = try? directory.openForReading(CassetteNames.journal),
      let header = try? JournalHeader(of: file)
    else { return [] }
    return header.redaction?.rules?.keep ?? []
  }

  /// Whether a file is hidden, and not one that a crash of ours has left half written.
  private static func isSkipped(_ name: String) -> Bool {
    name.hasPrefix(".") && !name.hasPrefix(Sealer.temporaryPrefix)
  }

  /// Goes on with the next file whatever is wrong with one.
  private mutating func trying(_ read: (inout CassetteScan) throws(CassetteError) -> Void) {
    do throws(CassetteError) { try read(&self) } catch { unit.problems.append("\(error)") }
  }

  private mutating func read(_ name: String) throws(CassetteError) {
    if name == CassetteNames.journal { return try readJournal() }
    guard CassetteNames.isInteraction(name) else { return try read(other: name) }
    guard let bytes = try directory.contents(of: name, limit: CassetteLimits.fileBytes) else { return }
    do throws(CassetteError) {
      let file = directory.path(of: name)
      unit.finds += try finds(in: try JSONFile.parse(bytes, file: file), of: file, name)
    } catch {
      // A file that cannot be read as an interaction may hold a secret all the same.
      unit.finds += scanner.finds(in: bytes, file: name)
      throw error
    }
  }

  private mutating func finds(
    in tree: JSONValue, of file: String, _ name: String
  ) throws(CassetteError) -> [SecretFind] {
    let interaction = try InteractionFormat.decode(
      tree, in: file, loader: BodyLoader(directory: directory))
    bodies.formUnion(InteractionFormat.bodyNames(tree))
    return try scanner.finds(in: interaction, file: name)
  }

  private mutating func readJournal() throws(CassetteError) {
    guard let file = try directory.openForReading(CassetteNames.journal) else { return }
    var number = 1
    var failure: CassetteError?
    _ = try Journal(reading: file) { entry throws(CassetteError) in
      number += 1
      do throws(CassetteError) {
        let found = try finds(in: entry.record.tree, of: entry.file, CassetteNames.journal)
        unit.finds += found.map { $0.inFile(CassetteNames.journal, line: number) }
      } catch { failure = error }
    }
    if let failure { throw failure }
  }

  private mutating func read(other name: String) throws(CassetteError) {
    guard let size = try directory.size(of: name) else { return }
    if size <= CassetteLimits.fileBytes {
      let bytes = try directory.contents(of: name, limit: CassetteLimits.fileBytes) ?? []
      unit.finds += scanner.finds(in: bytes, file: name)
    } else {
      let body = BodyFile(name: name, size: size, directory: directory)
      unit.finds += try scanner.finds(in: body, at: "").map { $0.inFile(name) }
    }
  }
}
