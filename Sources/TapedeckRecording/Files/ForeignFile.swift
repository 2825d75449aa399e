import TapedeckRedaction

/// Files of other tools on the disk. They are read, and replaced only where somebody asks for that.
package enum ForeignFile {
  /// Whether there is a plain file, or a link to one, so that it is no cassette directory.
  package static func isThere(_ path: String) -> Bool { FileKind(ofTarget: path) == .plain }

  package static func isFolder(_ path: String) -> Bool { FileKind(ofTarget: path) == .folder }

  /// Whether recording into a path would write a file of another tool: one that is there, or is to be called so.
  package static func isMeant(by path: String) -> Bool {
    let kind = FileKind(ofTarget: path)
    return kind == .plain || kind == nil && isHAR(path)
  }

  /// Whether a file is one by its name.
  package static func isHAR(_ path: String) -> Bool { path.hasSuffix(".har") || path.hasSuffix(".zhar") }

  /// Enough of a file to recognise its format.
  package static func beginning(of path: String) throws(CassetteError) -> [UInt8] {
    try OpenFile(plain: path).bytes(at: 0, count: 64 * 1024)
  }

  /// The whole of a plain file.
  package static func bytes(of path: String) throws(CassetteError) -> [UInt8] {
    let file = try OpenFile(plain: path)
    guard try file.status().size <= CassetteLimits.importedBytes else {
      throw .overLimit(path: path, problem: "more than \(CassetteLimits.importedBytes) bytes in one file")
    }
    return try file.contents(limit: CassetteLimits.importedBytes)
  }

  /// Gives a file new content, at once and with the rights it had; a link to it stays one.
  package static func replace(_ path: String, with bytes: [UInt8]) throws(CassetteError) {
    let path = try FileKind.resolved(path)
    let permissions = try OpenFile(plain: path).status().permissions
    let directory = try CassetteDirectory(opening: parent(of: path))
    let name = String(path[path.index(after: path.lastIndex(of: "/") ?? path.startIndex)...])
    let temporary = ".\(name).\(OpenFile.processID).tmp"
    do throws(CassetteError) {
      let file = try directory.createFile(temporary)
      try file.setPermissions(permissions)
      try file.write(bytes)
      try file.sync()
      try directory.rename(temporary, to: name)
      try directory.sync()
    } catch {
      try? directory.remove(temporary)
      throw error
    }
  }

  /// The folder of a path.
  package static func parent(of path: String) -> String {
    let path = withoutSlash(path)
    guard let slash = path.lastIndex(of: "/") else { return path == "." ? ".." : "." }
    return withoutSlash(String(path[...slash]))
  }

  package static func withoutSlash(_ path: String) -> String {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path
  }
}

extension Cassette {
  /// Whether there is anything where a cassette might be made.
  public static func exists(at path: String) -> Bool { FileKind.isThere(path) }

  /// Whether it was read from a file of another tool, into which nothing is recorded.
  package var isForeignFile: Bool { ForeignFile.isThere(path) }
}
