/// An open directory whose files are opened by plain name.
///
/// Names are opened beneath the directory's descriptor and never through links (`openat2`, see
/// `open(beneath:)`). Opening never blocks on special files, and reading keeps the access time where the
/// system allows it (`O_NOATIME`). Errors carry the path and the system's reason.
package final class CassetteDirectory: Sendable {
  package let path: String
  private let folder: OpenFile

  var descriptor: Int32 { folder.descriptor }

  /// Opens a directory; throws `absent` when there is none.
  package init(opening path: String) throws(CassetteError) {
    folder = try OpenFile(folder: path)
    self.path = path
  }

  /// Opens a directory, creating it and missing parents (`made`, outermost first).
  package static func create(_ path: String) throws(CassetteError) -> (
    directory: CassetteDirectory, made: [String]
  ) {
    var made: [String] = []
    do throws(CassetteError) {
      var end = path.utf8.startIndex
      while end != path.utf8.endIndex {
        let start = path.utf8.index(after: end)
        end = path.utf8[start...].firstIndex(of: UInt8(ascii: "/")) ?? path.utf8.endIndex
        let prefix = String(path[..<end])
        if try make(prefix) { made.append(prefix) }
      }
      return (try CassetteDirectory(opening: path), made)
    } catch {
      removeMade(made)
      throw error
    }
  }

  package func path(of name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }

  package func contents(of name: String, limit: Int) throws(CassetteError) -> [UInt8]? {
    guard let file = try openForReading(name) else { return nil }
    return try file.contents(limit: limit)
  }

  package func size(of name: String) throws(CassetteError) -> Int? {
    guard let status = try status(of: name), status.isPlain else { return nil }
    return status.size
  }

  package func isFolder(_ name: String) -> Bool { (try? status(of: name))?.isFolder ?? false }

  /// Whether `name` still refers to the open file.
  func names(_ name: String, _ file: OpenFile) throws(CassetteError) -> Bool {
    try status(of: name)?.isSameFile(as: try file.status()) ?? false
  }

  package func openBody(_ name: String) throws(CassetteError) -> OpenFile {
    guard let file = try openForReading(name) else { throw .missing(path(of: name)) }
    return file
  }

  package func openForReading(_ name: String) throws(CassetteError) -> OpenFile? {
    guard let file = try openAny(name) else { return nil }
    guard try file.status().isPlain else { throw .notAPlainFile(path: file.path) }
    return file
  }

  package func createFile(_ name: String, contents: [UInt8]) throws(CassetteError) {
    try createFile(name).write(contents)
  }
}
