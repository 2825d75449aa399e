import TapedeckHTTP
import TapedeckRecording
import TapedeckRedaction

/// Every file of a cassette: interactions by their parts, with their bodies; the journal that is there while someone
/// records or after a crash; and whatever else stands there, as it is.
struct CassetteScan {
  private(set) var unit: SecretScan.Unit
  private let directory: CassetteDirectory
  private let scanner: SecretScanner
  private var bodies: Set<String> = []

  init(_ directory: CassetteDirectory, keep: [String], onFile: (String) -> Void) {
    self.directory = directory
    unit = SecretScan.Unit(path: directory.path, kind: .cassette)
    scanner = SecretScanner(keep: keep + CassetteFolder.keep(directory.path) + Self.journalKeep(directory))
    trying { scan throws(CassetteError) in
      for name in try scan.directory.names() where !Self.isSkipped(name) {
        guard try scan.directory.size(of: name) != nil else { continue }
        onFile(scan.directory.path(of: name))
        scan.unit.fileCount += 1
        scan.trying { scan throws(CassetteError) in try scan.look(at: name) }
      }
      for leaf in try scan.directory.names(in: BodyFile.folder) {
        let name = "\(BodyFile.folder)/\(leaf)"
        scan.unit.fileCount += 1
        if scan.bodies.contains(name) { continue }
        onFile(scan.directory.path(of: name))
        scan.trying { scan throws(CassetteError) in try scan.look(atOther: name) }
      }
    }
  }

  private static func journalKeep(_ directory: CassetteDirectory) -> [String] {
    guard let file = try? directory.openForReading(CassetteNames.journal),
      let header = try? JournalHeader(of: file)
    else { return [] }
    return header.redaction?.rules?.keep ?? []
  }

  /// Files of others that are not meant to be seen; what a crash leaves half written is ours.
  private static func isSkipped(_ name: String) -> Bool {
    name.hasPrefix(".") && !name.hasPrefix(Sealer.temporaryPrefix)
  }

  /// Goes on with the next file whatever is wrong with one.
  private mutating func trying(_ look: (inout CassetteScan) throws(CassetteError) -> Void) {
    do throws(CassetteError) { try look(&self) } catch { unit.problems.append("\(error)") }
  }

  private mutating func look(at name: String) throws(CassetteError) {
    if name == CassetteNames.journal { return try lookAtJournal() }
    guard CassetteNames.isInteraction(name) else { return try look(atOther: name) }
    guard let bytes = try directory.contents(of: name, limit: CassetteLimits.fileBytes) else { return }
    do throws(CassetteError) {
      let file = directory.path(of: name)
      try look(at: try JSONFile.parse(bytes, file: file), in: file, name)
    } catch {
      // What cannot be read may hold a secret all the same.
      unit.finds += scanner.finds(in: bytes, file: name)
      throw error
    }
  }

  private mutating func look(
    at tree: JSONValue, in file: String, _ name: String, line: Int? = nil
  ) throws(CassetteError) {
    let interaction = try InteractionFormat.decode(
      tree, in: file, loader: BodyLoader(directory: directory))
    bodies.formUnion(InteractionFormat.bodyNames(tree))
    for var find in try scanner.finds(in: interaction, file: name) {
      if let line { (find.file, find.line) = (name, line) }
      unit.finds.append(find)
    }
  }

  private mutating func lookAtJournal() throws(CassetteError) {
    guard let file = try directory.openForReading(CassetteNames.journal) else { return }
    var number = 1
    var failure: CassetteError?
    _ = try Journal(reading: file) { entry throws(CassetteError) in
      number += 1
      do throws(CassetteError) {
        try look(at: entry.record.tree, in: entry.file, CassetteNames.journal, line: number)
      } catch { failure = error }
    }
    if let failure { throw failure }
  }

  private mutating func look(atOther name: String) throws(CassetteError) {
    guard let size = try directory.size(of: name) else { return }
    if size <= CassetteLimits.fileBytes {
      let bytes = try directory.contents(of: name, limit: CassetteLimits.fileBytes) ?? []
      unit.finds += scanner.finds(in: bytes, file: name)
    } else {
      let body = BodyFile(name: name, size: size, directory: directory)
      unit.finds += try scanner.scan(body, at: "").map { SecretFind(file: name, $0) }
    }
  }
}
