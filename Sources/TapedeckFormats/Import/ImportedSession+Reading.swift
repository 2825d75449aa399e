import TapedeckHTTP
public import TapedeckRecording

extension ImportedSession {
  /// Reads a file of another tool, or a folder of WireMock's.
  /// - Parameter format: what it is; nil to find that out by looking at it.
  /// - Throws: when it is no such file as a whole. What is wrong with a part of it leaves a note.
  public static func read(_ path: String, format: ImportFormat? = nil) throws(CassetteError)
    -> ImportedSession
  {
    guard ForeignFile.isFolder(path) else { return try read(try ImportFile.unpacked(path), format: format) }
    guard format == nil || format == .wiremock else { throw .unknownFormat(path: path) }
    return try WireMockReader.read(try ImportFile.mappings(in: path))
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

  /// Whether one of the first lines is that of the member all of the family have.
  static func looksLikeVCR(_ bytes: [UInt8]) -> Bool {
    bytes.prefix(64 * 1024).split(separator: 0x0A).contains { line in
      line.starts(with: "interactions:".utf8) || line.starts(with: "http_interactions:".utf8)
    }
  }
}
