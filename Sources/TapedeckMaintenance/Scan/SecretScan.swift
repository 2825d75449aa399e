import TapedeckFormats
import TapedeckHTTP
public import TapedeckRecording
public import TapedeckRedaction

/// A look for secrets in what is on the disk: cassettes as a whole, all other files one by one, folders to their ends.
public struct SecretScan: Sendable {
  /// What is scanned, and fixed, as one.
  public struct Unit: Sendable {
    public enum Kind: Sendable, Equatable {
      case cassette
      /// A file of a cassette, which is not to be changed without the others.
      case part(ofCassette: String)
      case file
    }

    public let path: String
    public let kind: Kind
    public internal(set) var finds: [SecretFind] = []
    public internal(set) var fileCount = 0
    /// What could not be read as what it is, each with its file.
    public internal(set) var problems: [String] = []
  }

  public private(set) var units: [Unit] = []
  private let keep: [String]
  private let onFile: @Sendable (String) -> Void

  /// - Parameters:
  ///   - keep: names and kinds that are no secrets, beside those that a cassette keeps.
  ///   - onFile: told each file before it is read.
  /// - Throws: when the path itself cannot be read.
  public init(
    _ path: String, keep: [String] = [], onFile: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(CassetteError) {
    self.keep = keep
    self.onFile = onFile
    if ForeignFile.isFolder(path) {
      try look(inFolder: path)
    } else {
      try look(atFile: path)
    }
  }

  private mutating func look(inFolder path: String) throws(CassetteError) {
    let directory = try CassetteDirectory(opening: path)
    let names = try directory.names()
    let isCassette = CassetteFolder.isCassette(directory, names)
    if isCassette {
      units.append(CassetteScan(directory, keep: keep, onFile: onFile).unit)
    }
    for name in names where !name.hasPrefix(".") {
      let inner = directory.path(of: name)
      if directory.isFolder(name) {
        if !(isCassette && name == BodyFile.folder) { try look(inFolder: inner) }
      } else if !isCassette, try directory.size(of: name) != nil {
        do throws(CassetteError) { try look(atFile: inner) } catch {
          units.append(Unit(path: inner, kind: .file, problems: ["\(error)"]))
        }
      }
    }
  }

  private mutating func look(atFile path: String) throws(CassetteError) {
    onFile(path)
    let folder = ForeignFile.parent(of: path)
    let owner = CassetteFolder.owner(ofFileIn: folder)
    let source = try ImportFile.read(path)
    let scanner = SecretScanner(keep: keep + (owner.map(CassetteFolder.keep) ?? []))
    var unit = Unit(path: path, kind: owner.map { .part(ofCassette: $0) } ?? .file, fileCount: 1)
    if let interaction = CassetteFolder.interaction(source.bytes, in: folder) {
      unit.finds = try scanner.finds(in: interaction, file: path)
    } else {
      unit.finds = scanner.finds(inForeign: source)
    }
    units.append(unit)
  }
}

extension SecretScanner {
  /// What is in a file of any kind, and in the bodies that another tool has encoded in it.
  func finds(inForeign source: ImportSource) -> [SecretFind] {
    var found = finds(in: source.bytes, file: source.path)
    guard let session = try? ImportedSession.read(source) else { return found }
    var known = Set(found.map(\.secret))
    for (index, exchange) in session.exchanges.enumerated() {
      for var find in (try? finds(in: exchange.interaction, file: source.path)) ?? [] {
        let isKnown = known.contains(find.secret) || known.contains(DecodedText.percentEncoded(find.secret))
        if isKnown || !known.insert(find.secret).inserted { continue }
        find.file = source.path
        find.place = "exchange \(index + 1): \(find.place ?? "")"
        found.append(find)
      }
    }
    return found
  }
}
