import TapedeckRedaction

/// Files of other tools on disk. They are replaced only on request.
package enum ForeignFile {
  /// Whether the path is a plain file or a link to one, and so not a cassette directory.
  package static func isThere(_ path: String) -> Bool { OpenFile.Status(at: path)?.isPlain ?? false }

  package static func isFolder(_ path: String) -> Bool { OpenFile.Status(at: path)?.isFolder ?? false }

  /// Whether recording into a path would write another tool's file, existing or not.
  package static func isMeant(by path: String) -> Bool {
    OpenFile.Status(at: path)?.isPlain ?? isHAR(path)
  }

  package static func isHAR(_ path: String) -> Bool { path.hasSuffix(".har") || path.hasSuffix(".zhar") }

  package static func bytes(of path: String) throws(CassetteError) -> [UInt8] {
    let file = try OpenFile(plain: path)
    guard try file.status().size <= CassetteLimits.importedBytes else {
      throw .overLimit(path: path, problem: "more than \(CassetteLimits.importedBytes) bytes in one file")
    }
    return try file.contents(limit: CassetteLimits.importedBytes)
  }

  /// Replaces the contents of a file atomically, keeping its permissions; a link stays a link.
  package static func replace(_ path: String, with bytes: [UInt8]) throws(CassetteError) {
    let path = try resolved(path)
    let permissions = try OpenFile(plain: path).status().permissions
    let directory = try CassetteDirectory(opening: parent(of: path))
    let name = leaf(of: path)
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

  package static func parent(of path: String) -> String {
    let path = withoutSlash(path)
    guard let slash = path.lastIndex(of: "/") else { return path == "." ? ".." : "." }
    return withoutSlash(String(path[...slash]))
  }

  package static func leaf(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
  }

  package static func withoutSlash(_ path: String) -> String {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path
  }
}

extension Cassette {
  /// Whether it was read from another tool's file, which is never recorded into.
  package var isForeignFile: Bool { ForeignFile.isThere(path) }
}
