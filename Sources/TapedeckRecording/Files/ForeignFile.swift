import Glibc
import TapedeckRedaction

/// Files of other tools on the disk. They are read, and replaced only where somebody asks for that.
package enum ForeignFile {
  /// Whether there is a plain file, or a link to one, so that it is no cassette directory.
  package static func isThere(_ path: String) -> Bool { kind(of: path) == S_IFREG }

  package static func isFolder(_ path: String) -> Bool { kind(of: path) == S_IFDIR }

  /// Whether recording into a path would write a file of another tool: one that is there, or is to be called so.
  package static func isMeant(by path: String) -> Bool {
    let kind = kind(of: path)
    return kind == S_IFREG || kind == nil && isHAR(path)
  }

  /// Whether a file is one by its name.
  package static func isHAR(_ path: String) -> Bool { path.hasSuffix(".har") || path.hasSuffix(".zhar") }

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
  package static func beginning(of path: String) throws(CassetteError) -> [UInt8] {
    try open(path).bytes(at: 0, count: 64 * 1024)
  }

  /// The whole of a plain file.
  package static func bytes(of path: String) throws(CassetteError) -> [UInt8] {
    let file = try open(path)
    guard try file.status().size <= CassetteLimits.importedBytes else {
      throw .overLimit(path: path, problem: "more than \(CassetteLimits.importedBytes) bytes in one file")
    }
    return try file.contents(limit: CassetteLimits.importedBytes)
  }

  /// Gives a file new content, at once and with the rights it had; a link to it stays one.
  package static func replace(_ path: String, with bytes: [UInt8]) throws(CassetteError) {
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

  /// The folder that a path stands in.
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
