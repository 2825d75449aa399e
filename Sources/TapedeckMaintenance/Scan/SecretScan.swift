import TapedeckFormats
import TapedeckHTTP
package import TapedeckRecording
package import TapedeckRedaction

/// Scans files on disk for secrets: cassettes as a whole, other files one by one, folders recursively.
package struct SecretScan: Sendable {
  /// A cassette or a file, which is scanned and fixed as a unit.
  package struct Unit: Sendable {
    package enum Kind: Sendable, Equatable {
      case cassette
      /// A file of a cassette, which must not be changed alone.
      case part(ofCassette: String)
      case file
    }

    package let path: String
    package let kind: Kind
    package internal(set) var finds: [SecretFind] = []
    package internal(set) var fileCount = 0
    /// Errors about files that could not be read.
    package internal(set) var problems: [String] = []
  }

  package private(set) var units: [Unit] = []
  private let keep: [String]
  private let onFile: @Sendable (String) -> Void
  private let isEnded: @Sendable () -> Bool

  /// - Parameters:
  ///   - keep: names and kinds that are not secrets, in addition to those of a cassette.
  ///   - isEnded: asked before each file; once it is true, the rest is left out.
  ///   - onFile: called with each file before it is read.
  /// - Throws: if the path itself cannot be read.
  package init(
    _ path: String, keep: [String] = [], until isEnded: @escaping @Sendable () -> Bool = { false },
    onFile: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(CassetteError) {
    self.keep = keep
    self.onFile = onFile
    self.isEnded = isEnded
    if ForeignFile.isFolder(path) {
      try scan(folder: path)
    } else {
      try scan(file: path)
    }
  }

  private mutating func scan(folder path: String) throws(CassetteError) {
    let directory = try CassetteDirectory(opening: path)
    let names = try directory.names()
    let isCassette = directory.isCassette
    if isCassette { units.append(CassetteScan(directory, keep: keep, until: isEnded, onFile: onFile).unit) }
    let scanned = isCassette ? try directory.foldersOfHosts().map(\.folder) + [BodyFile.folder] : []
    for name in names where !name.hasPrefix(".") && !isEnded() {
      let inner = directory.path(of: name)
      if directory.isFolder(name) {
        if !scanned.contains(name) { try scan(folder: inner) }
      } else if !isCassette, !ForeignFile.isFolder(inner) {
        // A link to a folder is no part of this one. Whatever else cannot be read is a problem.
        do throws(CassetteError) { try scan(file: inner) } catch {
          units.append(Unit(path: inner, kind: .file, problems: ["\(error)"]))
        }
      }
    }
  }

  private mutating func scan(file path: String) throws(CassetteError) {
    onFile(path)
    let source = try ImportSource(reading: path)
    let folder = ForeignFile.parent(of: path)
    // The cassette of a file in its folder, in its `bodies` or in the folder of a host.
    let parent = ForeignFile.parent(of: folder)
    let isInFolder = folder.hasSuffix(BodyFile.folder) || CassetteScan.isOfSeveralOrigins(parent)
    let folders = isInFolder ? [parent, folder] : [folder]
    let owner = folders.first { (try? CassetteDirectory(opening: $0))?.isCassette == true }
    let scanner = SecretScanner(keep: keep + (owner.map(CassetteScan.keep) ?? []))
    var unit = Unit(path: path, kind: owner.map { .part(ofCassette: $0) } ?? .file, fileCount: 1)
    if CassetteDirectory.looksLikeInteraction(source.bytes),
      let interaction = try? CassetteDirectory(opening: folder).decoded(source.bytes, of: path).interaction
    {
      unit.finds = try scanner.finds(in: interaction, file: path)
    } else {
      unit.finds = scanner.finds(inForeign: source)
    }
    units.append(unit)
  }
}

extension CassetteDirectory {
  fileprivate var isCassette: Bool {
    guard let names = try? names() else { return false }
    if names.contains(CassetteNames.manifest) || names.contains(CassetteNames.journal) { return true }
    let first = names.first(where: CassetteNames.isInteraction)
    return (try? first.flatMap { try contents(of: $0, limit: CassetteLimits.fileBytes) })
      .map(Self.looksLikeInteraction) ?? false
  }

  fileprivate static func looksLikeInteraction(_ bytes: [UInt8]) -> Bool {
    let tree = try? JSONValue(parsing: bytes)
    return tree?["request"]?["target"] != nil && tree?["response"]?["status"] != nil
  }
}

extension SecretScanner {
  /// The secrets in a file of any kind, and in the bodies that another tool has encoded in it.
  func finds(inForeign source: ImportSource) -> [SecretFind] {
    var found = finds(in: source.bytes, file: source.path)
    guard let session = try? ImportedSession.read(source) else { return found }
    var known = Set(found.map(\.secret))
    for (index, exchange) in session.exchanges.enumerated() {
      for var find in (try? finds(in: exchange.interaction, file: source.path)) ?? [] {
        let isKnown = known.contains(find.secret) || known.contains(DecodedText.percentEncoded(find.secret))
        if !find.isUnsearchedBody, isKnown || !known.insert(find.secret).inserted { continue }
        find.file = source.path
        find.put(at: "exchange \(index + 1): ")
        found.append(find)
      }
    }
    return found
  }
}
