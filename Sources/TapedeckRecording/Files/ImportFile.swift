import Glibc

/// Files of other tools on the disk. They are read, and replaced only where somebody asks for that.
enum ImportFile {
  /// Whether there is a plain file, or a link to one, so that it is no cassette directory.
  static func isThere(_ path: String) -> Bool { kind(of: path) == S_IFREG }

  static func isFolder(_ path: String) -> Bool { kind(of: path) == S_IFDIR }

  /// Whether recording into a path would write a file of another tool: one that is there, or is to be called so.
  static func isMeant(by path: String) -> Bool {
    let kind = kind(of: path)
    return kind == S_IFREG || kind == nil && isHAR(path)
  }

  /// Whether a file is one by its name.
  static func isHAR(_ path: String) -> Bool { path.hasSuffix(".har") || path.hasSuffix(".zhar") }

  private static func kind(of path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }

  private static func open(_ path: String) throws(CassetteError) -> OpenFile {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .failed("open", path) }
    let file = OpenFile(descriptor: descriptor, path: path)
    guard try file.status().isPlain else { throw .notAPlainFile(path: path) }
    return file
  }

  /// As much of a file as tells what it is.
  static func beginning(of path: String) throws(CassetteError) -> [UInt8] {
    try open(path).bytes(at: 0, count: 64 * 1024)
  }

  static func read(_ path: String) throws(CassetteError) -> ImportSource {
    let file = try open(path)
    guard try file.status().size <= CassetteLimits.importedBytes else {
      throw .overLimit(path: path, problem: "more than \(CassetteLimits.importedBytes) bytes in one file")
    }
    return ImportSource(
      path: path, bytes: try file.contents(limit: CassetteLimits.importedBytes), folder: parent(of: path))
  }

  /// Gives a file new content, at once and with the rights it had; a link to it stays one.
  static func replace(_ path: String, with bytes: [UInt8]) throws(CassetteError) {
    guard let resolved = realpath(path, nil) else { throw .failed("find", path) }
    defer { free(resolved) }
    let path = String(cString: resolved)
    var status = stat()
    guard stat(path, &status) == 0 else { throw .failed("examine", path) }
    let directory = try CassetteDirectory(opening: parent(of: path))
    let name = String(path[path.index(after: path.lastIndex(of: "/") ?? path.startIndex)...])
    let temporary = ".\(name).\(getpid()).tmp"
    do throws(CassetteError) {
      let file = try directory.createFile(temporary)
      guard fchmod(file.descriptor, status.st_mode & 0o7777) == 0 else { throw .failed("write", path) }
      try file.write(bytes)
      try file.sync()
      try directory.rename(temporary, to: name)
      try directory.sync()
    } catch {
      try? directory.remove(temporary)
      throw error
    }
  }

  /// A file, out of the gzip or zlib that it is packed in as HAR allows (`.zhar`), and VCR's `.zz` is.
  static func unpacked(_ path: String) throws(CassetteError) -> ImportSource {
    var source = try read(path)
    if source.bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) {
      throw .packed(path: path, remedy: "unzip \(path)")
    }
    let isGzip = source.bytes.starts(with: [0x1F, 0x8B])
    guard isGzip || ContentCoding.isZlib(source.bytes) else { return source }
    guard let bytes = (isGzip ? BodyCoding.gzip : .deflate).decoded(source.bytes[...]) else {
      throw .packed(path: path, remedy: isGzip ? "gunzip -c \(path)" : "zlib-flate -uncompress < \(path)")
    }
    source.bytes = bytes
    return source
  }

  /// The mappings of a WireMock folder: it is given itself, or its `mappings`.
  static func mappings(in path: String) throws(CassetteError) -> [ImportSource] {
    let root = withoutSlash(path)
    let inner = "\(root)/mappings"
    let folder = isFolder(inner) ? inner : root
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

  /// The folder that a path stands in.
  static func parent(of path: String) -> String {
    let path = withoutSlash(path)
    guard let slash = path.lastIndex(of: "/") else { return path == "." ? ".." : "." }
    return withoutSlash(String(path[...slash]))
  }

  private static func withoutSlash(_ path: String) -> String {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path
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
    for place in [ImportFile.parent(of: folder), folder] where ImportFile.isFolder("\(place)/__files") {
      return try CassetteDirectory(opening: "\(place)/__files").contents(
        of: name, limit: CassetteLimits.importedBytes)
    }
    return nil
  }
}
