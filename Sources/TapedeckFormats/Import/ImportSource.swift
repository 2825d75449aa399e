package import TapedeckHTTP
package import TapedeckRecording
import TapedeckRedaction

/// The files of other tools that can be read, by the names the command knows them by.
package enum ImportFormat: String, Sendable, CaseIterable {
  case har, vcr, vcrpy, wiremock, hoverfly

  /// What a JSON document is, by the members that only one of the tools writes; nil for none of them.
  package static func detect(_ document: JSONValue) -> ImportFormat? {
    if HARReader.isHAR(document) { return .har }
    if document["http_interactions"] != nil { return .vcr }
    if document["interactions"] != nil { return .vcrpy }
    if document["data"]?["pairs"] != nil { return .hoverfly }
    if document["mappings"] != nil || WireMockReader.isMapping(document) { return .wiremock }
    return nil
  }
}

/// A file to import from.
package struct ImportSource {
  /// As the user named it, for messages.
  package let path: String
  package var bytes: [UInt8]
  /// The folder it stands in, beneath which it may name other files; nil when it stands in none.
  var folder: String?

  init(path: String, bytes: [UInt8], folder: String? = nil) {
    self.path = path
    self.bytes = bytes
    self.folder = folder
  }

  /// Reads a file from the disk.
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
    let inner = "\(root)/mappings"
    let folder = ForeignFile.isFolder(inner) ? inner : root
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
    guard let bytes = try Self.contents(of: name, in: folder) else {
      throw EntryRefusal("its body is in a file that is not there; left out")
    }
    return bytes
  }

  /// A body that a mapping of WireMock names: in the folder `__files` beside that of the mappings, or beside this file.
  func mappingBody(_ name: String) throws(EntryRefusal) -> [UInt8] {
    let places = folder.map { ["\(ForeignFile.parent(of: $0))/__files", "\($0)/__files"] } ?? []
    guard let bytes = try Self.contents(of: name, in: places.first(where: ForeignFile.isFolder)) else {
      throw EntryRefusal("its body __files/\(name) is not there; left out")
    }
    return bytes
  }

  private static func contents(of name: String, in folder: String?) throws(EntryRefusal) -> [UInt8]? {
    guard let folder else { return nil }
    do throws(CassetteError) {
      return try CassetteDirectory(opening: folder).contents(of: name, limit: CassetteLimits.importedBytes)
    } catch {
      throw EntryRefusal("its body cannot be read (\(error)); left out")
    }
  }
}
