import TapedeckHTTP
package import TapedeckRecording
import TapedeckRedaction

/// Files of other tools, as they are read from the disk.
package enum ImportFile {
  package static func read(_ path: String) throws(CassetteError) -> ImportSource {
    ImportSource(
      path: path, bytes: try ForeignFile.bytes(of: path), folder: ForeignFile.parent(of: path))
  }

  /// A file, out of the gzip or zlib that it is packed in as HAR allows (`.zhar`), and VCR's `.zz` is.
  package static func unpacked(_ path: String) throws(CassetteError) -> ImportSource {
    var source = try read(path)
    if source.bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) {
      throw .packed(path: path, remedy: "unzip \(path)")
    }
    let isGzip = source.bytes.starts(with: [0x1F, 0x8B])
    guard isGzip || BodyCoding.isZlib(source.bytes) else { return source }
    guard let bytes = (isGzip ? BodyCoding.gzip : .deflate).decoded(source.bytes[...]) else {
      throw .packed(path: path, remedy: isGzip ? "gunzip -c \(path)" : "zlib-flate -uncompress < \(path)")
    }
    source.bytes = bytes
    return source
  }

  /// The mappings of a WireMock folder: it is given itself, or its `mappings`.
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
}

extension ImportSource {
  /// The content of a plain file that this one names, beneath the folder it stands in and nowhere else; nil when it is
  /// not there.
  func sibling(_ name: String) throws(CassetteError) -> [UInt8]? {
    guard let folder else { return nil }
    return try CassetteDirectory(opening: folder).contents(of: name, limit: CassetteLimits.importedBytes)
  }

  /// The body that a mapping of WireMock names: in the folder `__files` beside that of the mappings, or beside this file.
  func mappingBody(_ name: String) throws(CassetteError) -> [UInt8]? {
    guard let folder else { return nil }
    for place in [ForeignFile.parent(of: folder), folder] where ForeignFile.isFolder("\(place)/__files") {
      return try CassetteDirectory(opening: "\(place)/__files").contents(
        of: name, limit: CassetteLimits.importedBytes)
    }
    return nil
  }
}
