package import TapedeckHTTP
package import TapedeckRecording
import TapedeckRedaction

/// The files of other tools that can be read, by the names the command knows them by.
package enum ImportFormat: String, Sendable, CaseIterable {
  case har, vcr, vcrpy, wiremock, hoverfly

  /// Recognises a JSON document by members that only one of the tools writes; `nil` for any other document.
  package static func detect(_ document: JSONValue) -> ImportFormat? {
    if ImportedSession.isHAR(document) { return .har }
    if document["http_interactions"] != nil { return .vcr }
    if document["interactions"] != nil { return .vcrpy }
    if document["data"]?["pairs"] != nil { return .hoverfly }
    if document["mappings"] != nil || ImportedSession.isWireMock(document) { return .wiremock }
    return nil
  }
}

/// A file to import from.
package struct ImportSource {
  /// As the user named it, for messages.
  package let path: String
  package var bytes: [UInt8]
  /// The folder it stands in, beneath which it may name other files; `nil` if it stands in none.
  var folder: String?

  init(path: String, bytes: [UInt8], folder: String? = nil) {
    self.path = path
    self.bytes = bytes
    self.folder = folder
  }

  package init(reading path: String) throws(CassetteError) {
    self.init(path: path, bytes: try ForeignFile.bytes(of: path), folder: ForeignFile.parent(of: path))
  }

  /// Reads a file, and decompresses gzip and zlib: HAR allows them (`.zhar`), and VCR writes `.zz`.
  package init(unpacking path: String) throws(CassetteError) {
    try self.init(reading: path)
    if bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) { throw .packed(path: path, remedy: "unzip \(path)") }
    let isGzip = bytes.starts(with: [0x1F, 0x8B])
    guard isGzip || BodyCoding.isZlib(bytes) else { return }
    guard let unpacked = (isGzip ? BodyCoding.gzip : .deflate).decoded(bytes[...]) else {
      throw .packed(path: path, remedy: isGzip ? "gunzip -c \(path)" : "zlib-flate -uncompress < \(path)")
    }
    bytes = unpacked
  }

  /// The mappings of a WireMock folder: the folder itself, or its `mappings`.
  static func mappings(in path: String) throws(CassetteError) -> [ImportSource] {
    let root = ForeignFile.withoutSlash(path)
    let folder = ForeignFile.isFolder("\(root)/mappings") ? "\(root)/mappings" : root
    let directory = try CassetteDirectory(opening: folder)
    var sources: [ImportSource] = []
    for name in try directory.names() where name.hasSuffix(".json") {
      guard let bytes = try directory.contents(of: name, limit: CassetteLimits.importedBytes) else {
        continue
      }
      sources.append(ImportSource(path: directory.path(of: name), bytes: bytes, folder: folder))
    }
    guard !sources.isEmpty else { throw .unknownFormat(path: path) }
    return sources
  }

  // MARK: Bodies in files of their own

  /// A body that this file names by its path, beneath the folder it stands in and nowhere else.
  func body(_ name: String) throws(EntryRefusal) -> [UInt8] {
    try Self.contents(of: name, in: folder, orRefuse: "its body is in a file that is not there")
  }

  /// A body that a mapping of WireMock names: in the folder `__files` beside that of the mappings, or beside this file.
  func mappingBody(_ name: String) throws(EntryRefusal) -> [UInt8] {
    let places = folder.map { ["\(ForeignFile.parent(of: $0))/__files", "\($0)/__files"] } ?? []
    return try Self.contents(
      of: name, in: places.first(where: ForeignFile.isFolder),
      orRefuse: "its body __files/\(name) is not there")
  }

  private static func contents(
    of name: String, in folder: String?, orRefuse problem: String
  ) throws(EntryRefusal) -> [UInt8] {
    var bytes: [UInt8]?
    do throws(CassetteError) {
      bytes = try folder.map { folder throws(CassetteError) in try CassetteDirectory(opening: folder) }?
        .contents(of: name, limit: CassetteLimits.importedBytes)
    } catch {
      throw EntryRefusal("its body cannot be read (\(error))")
    }
    guard let bytes else { throw EntryRefusal(problem) }
    return bytes
  }
}

// MARK: - JSON

extension ImportSource {
  /// Whether the file begins as JSON does, behind a byte order mark.
  package var isJSON: Bool {
    bytes.first { $0 > 0x20 && ![0xEF, 0xBB, 0xBF].contains($0) }.map { "{[".utf8.contains($0) } ?? false
  }

  /// The file as JSON, read leniently: behind a byte order mark (which HAR 1.2 allows), and with Python's `NaN` and
  /// `Infinity` where numbers stand, which are read as -1, HAR's word for "does not apply".
  package func document() throws(CassetteError) -> JSONValue {
    let document = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    do throws(JSONError) {
      return try JSONValue(parsing: document)
    } catch {
      var mayBeNonNumber = error.reason == .invalidNumber
      if case .unexpectedByte(let byte) = error.reason { mayBeNonNumber = "NI".utf8.contains(byte) }
      guard mayBeNonNumber else { throw .invalidJSON(file: path, error: error) }
      return try JSONFile.parse(Self.withoutNonNumbers(document), file: path)
    }
  }

  /// Replaces them by as many bytes, so that an error behind them is named by its right line and column.
  private static func withoutNonNumbers(_ bytes: [UInt8]) -> [UInt8] {
    var out = bytes
    var index = 0
    while index < out.count {
      let word = ["NaN", "-Infinity", "Infinity"].first { out[index...].starts(with: $0.utf8) }
      if let word {
        let number = Array("-1".utf8) + Array(repeating: UInt8(ascii: " "), count: word.utf8.count - 2)
        out.replaceSubrange(index..<(index + number.count), with: number)
      } else if out[index] == UInt8(ascii: "\"") {
        index += 1
        while index < out.count, out[index] != UInt8(ascii: "\"") {
          index += out[index] == UInt8(ascii: "\\") ? 2 : 1
        }
      }
      index += word?.utf8.count ?? 1
    }
    return out
  }
}
