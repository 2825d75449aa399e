import TapedeckFormats
import TapedeckHTTP
public import TapedeckRecording
public import TapedeckRedaction

/// A scan for secrets of what is on the disk: cassettes as a whole, all other files one by one, folders recursively.
public struct SecretScan: Sendable {
  /// What is scanned, and fixed, as one.
  public struct Unit: Sendable {
    public enum Kind: Sendable, Equatable {
      case cassette
      /// A file of a cassette, which must not be changed without the others.
      case part(ofCassette: String)
      case file
    }

    public let path: String
    public let kind: Kind
    public internal(set) var finds: [SecretFind] = []
    public internal(set) var fileCount = 0
    /// What could not be read, each with its file.
    public internal(set) var problems: [String] = []
  }

  public private(set) var units: [Unit] = []
  private let keep: [String]
  private let onFile: @Sendable (String) -> Void

  /// - Parameters:
  ///   - keep: names and kinds that are no secrets, besides those that a cassette keeps.
  ///   - onFile: called with each file before it is read.
  /// - Throws: when the path itself cannot be read.
  public init(
    _ path: String, keep: [String] = [], onFile: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(CassetteError) {
    self.keep = keep
    self.onFile = onFile
    if ForeignFile.isFolder(path) {
      try scan(folder: path)
    } else {
      try scan(file: path)
    }
  }

  private mutating func scan(folder path: String) throws(CassetteError) {
    let directory = try CassetteDirectory(opening: path)
    let names = try directory.names()
    let isCassette = Self.isCassette(directory, names)
    if isCassette {
      units.append(CassetteScan(directory, keep: keep, onFile: onFile).unit)
    }
    for name in names where !name.hasPrefix(".") {
      let inner = directory.path(of: name)
      if directory.isFolder(name) {
        if !(isCassette && name == BodyFile.folder) { try scan(folder: inner) }
      } else if !isCassette, try directory.size(of: name) != nil {
        do throws(CassetteError) { try scan(file: inner) } catch {
          units.append(Unit(path: inner, kind: .file, problems: ["\(error)"]))
        }
      }
    }
  }

  private mutating func scan(file path: String) throws(CassetteError) {
    onFile(path)
    let folder = ForeignFile.parent(of: path)
    let owner = Self.owner(ofFileIn: folder)
    let source = try ImportSource(reading: path)
    let scanner = SecretScanner(keep: keep + (owner.map(CassetteScan.keep) ?? []))
    var unit = Unit(path: path, kind: owner.map { .part(ofCassette: $0) } ?? .file, fileCount: 1)
    if let interaction = Self.interaction(source.bytes, in: folder) {
      unit.finds = try scanner.finds(in: interaction, file: path)
    } else {
      unit.finds = scanner.finds(inForeign: source)
    }
    units.append(unit)
  }

  // MARK: What a file is

  private static func isCassette(_ directory: CassetteDirectory, _ names: [String]) -> Bool {
    if names.contains(CassetteNames.manifest) || names.contains(CassetteNames.journal) { return true }
    let first = names.first(where: CassetteNames.isInteraction)
    let bytes = first.flatMap { try? directory.contents(of: $0, limit: CassetteLimits.fileBytes) }
    return bytes.flatMap(interactionTree) != nil
  }

  private static func interactionTree(_ bytes: [UInt8]) -> JSONValue? {
    guard let tree = try? JSONValue(parsing: bytes), tree["request"]?["target"] != nil,
      tree["response"]?["status"] != nil
    else { return nil }
    return tree
  }

  /// The cassette that a file in a folder, or in its `bodies`, belongs to.
  private static func owner(ofFileIn folder: String) -> String? {
    for candidate in [folder, ForeignFile.parent(of: folder)] {
      if candidate != folder, !folder.hasSuffix(BodyFile.folder) { continue }
      guard let directory = try? CassetteDirectory(opening: candidate), let names = try? directory.names()
      else { continue }
      if isCassette(directory, names) { return candidate }
    }
    return nil
  }

  /// The interaction that a file holds; `nil` when it is anything else.
  private static func interaction(_ bytes: [UInt8], in folder: String) -> Interaction? {
    guard let tree = interactionTree(bytes), let directory = try? CassetteDirectory(opening: folder) else {
      return nil
    }
    return try? InteractionFormat.decode(
      tree, in: folder, loader: BodyLoader(directory: directory))
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
        if isKnown || !known.insert(find.secret).inserted { continue }
        find.file = source.path
        find.place = "exchange \(index + 1): \(find.place ?? "")"
        found.append(find)
      }
    }
    return found
  }
}
