import TapedeckHTTP
package import TapedeckRecording

/// An exchange from a file of another tool.
package struct ImportedExchange: Sendable, Equatable {
  /// The origin as a URL in its shortest form, like `https://api.example.com`; empty where the file names none.
  package var origin: String
  package var interaction: Interaction
}

/// What was read from files of other tools: the exchanges, in the order of the files, and a note for everything that
/// could not be carried over. Nothing is guessed in place of what a file does not say.
package struct ImportedSession: Sendable {
  package internal(set) var exchanges: [ImportedExchange] = []
  package internal(set) var notes: [ImportNote] = []
  /// The rules of the cassette a file was exported from.
  package var manifest: CassetteManifest?

  package init() {}

  /// The origin that was recorded: as the exported cassette says, else the one of most exchanges.
  package var upstream: String? { manifest.map(\.upstream) ?? chiefOrigin }

  /// The rules of matching: those of the exported cassette, else the default.
  package var rules: MatchRules { manifest?.rules ?? MatchRules() }

  /// Appends what another file held.
  package mutating func append(_ other: ImportedSession) {
    exchanges += other.exchanges
    notes += other.notes
    manifest = manifest ?? other.manifest
  }

  /// Appends the exchange that `fill` makes of an entry, or a note of why it is none.
  mutating func append(
    file: String, entry: String, _ fill: (inout ExchangeDraft) throws(EntryRefusal) -> Void
  ) {
    var draft = ExchangeDraft()
    do throws(EntryRefusal) {
      try fill(&draft)
      exchanges.append(try draft.finish())
      for remark in draft.remarks { note(remark.severity, remark.problem, file, entry, draft.summary) }
    } catch {
      note(.skipped, error.problem, file, entry, draft.summary)
    }
  }

  mutating func note(
    _ severity: ImportNote.Severity, _ problem: String, _ file: String, _ entry: String = "",
    _ request: String = ""
  ) {
    notes.append(ImportNote(severity: severity, file: file, entry: entry, request: request, problem: problem))
  }
}

// MARK: Reading

extension ImportedSession {
  /// Reads a file of another tool, or a folder of WireMock's.
  /// - Parameter format: nil to detect it.
  /// - Throws: when it is no such file as a whole. What is wrong with a part of it leaves a note.
  package static func read(_ path: String, format: ImportFormat? = nil) throws(CassetteError)
    -> ImportedSession
  {
    guard ForeignFile.isFolder(path) else {
      return try read(ImportSource(unpacking: path), format: format)
    }
    guard format == nil || format == .wiremock else { throw .unknownFormat(path: path) }
    var documents: [(JSONValue, ImportSource)] = []
    for source in try ImportSource.mappings(in: path) {
      documents.append((try LenientJSON.parse(source.bytes, file: source.path), source))
    }
    return try WireMockReader.read(documents)
  }

  package static func read(_ source: ImportSource, format: ImportFormat? = nil) throws(CassetteError)
    -> ImportedSession
  {
    guard beginsAsJSON(source.bytes) else { return try readYAML(source, format) }
    let document = try LenientJSON.parse(source.bytes, file: source.path)
    switch format ?? ImportFormat.detect(document) {
    case .har: return try HARReader.read(document, from: source)
    case .vcr, .vcrpy: return try VCRReader.read(YAMLValue(document), file: source.path)
    case .wiremock: return try WireMockReader.read([(document, source)])
    case .hoverfly: return try HoverflyReader.read(document, from: source)
    case nil: throw .unknownFormat(path: source.path)
    }
  }

  private static func readYAML(_ source: ImportSource, _ format: ImportFormat?) throws(CassetteError)
    -> ImportedSession
  {
    let isMeant = format == .vcr || format == .vcrpy
    guard isMeant || format == nil && looksLikeVCR(source.bytes) else {
      throw .unknownFormat(path: source.path)
    }
    let document: YAMLValue
    do throws(YAMLError) { document = try YAMLReader.parse(source.bytes) } catch {
      throw .invalidYAML(file: source.path, line: error.line, column: error.column, problem: error.problem)
    }
    return try VCRReader.read(document, file: source.path)
  }

  package static func beginsAsJSON(_ bytes: [UInt8]) -> Bool {
    bytes.first { $0 > 0x20 && ![0xEF, 0xBB, 0xBF].contains($0) }.map { "{[".utf8.contains($0) } ?? false
  }

  /// Whether one of the first lines begins the member that the whole family has.
  private static func looksLikeVCR(_ bytes: [UInt8]) -> Bool {
    bytes.prefix(64 * 1024).split(separator: 0x0A).contains { line in
      line.starts(with: "interactions:".utf8) || line.starts(with: "http_interactions:".utf8)
    }
  }
}
