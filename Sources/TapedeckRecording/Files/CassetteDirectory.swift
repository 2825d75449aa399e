import TapedeckHTTP

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

// MARK: - Interactions

extension CassetteDirectory {
  /// The names of the interaction files, sorted by bytes.
  /// - Parameters:
  ///   - names: those in the directory.
  ///   - inFolders: whether they lie in the folders of their hosts too, as in a cassette of several origins.
  package func interactionNames(_ names: [String], inFolders: Bool) throws(CassetteError) -> [String] {
    let files = names.filter(CassetteNames.isInteraction)
    guard inFolders else { return files }
    return try (files + namesInFolders(names)).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  package func interactionNames(inFolders: Bool) throws(CassetteError) -> [String] {
    try interactionNames(names(), inFolders: inFolders)
  }

  /// The interaction files in folders, without those of cassettes in this folder.
  private func namesInFolders(_ names: [String]) throws(CassetteError) -> [String] {
    try folders(names).flatMap { folder, leaves in
      leaves.filter(CassetteNames.isInteraction).map { "\(folder)/\($0)" }
    }
  }

  /// The folders that may be those of hosts, with the names in them.
  package func folders(_ names: [String]) throws(CassetteError) -> [(folder: String, leaves: [String])] {
    var found: [(folder: String, leaves: [String])] = []
    for folder in names where CassetteNames.isFolder(folder) && isFolder(folder) {
      let leaves = try self.names(in: folder)
      let isCassette = leaves.contains(CassetteNames.manifest) || leaves.contains(CassetteNames.journal)
      if !isCassette { found.append((folder, leaves)) }
    }
    return found
  }

  /// Waits until renames and removals in folders, of which some may be gone, are on disk.
  package func sync(folders: [String]) throws(CassetteError) {
    for folder in folders where isFolder(folder) { try sync(folder: folder) }
  }

  /// An interaction that names its origin in the folder of a host, where no manifest tells of several origins.
  package func interactionWithOrigin(_ names: [String]) throws(CassetteError) -> String? {
    var last = ""
    for name in try namesInFolders(names) where ForeignFile.parent(of: name) != last {
      last = ForeignFile.parent(of: name)
      if let bytes = try? contents(of: name, limit: CassetteLimits.fileBytes),
        let tree = try? JSONValue(parsing: bytes), tree["origin"] != nil, tree["request"] != nil
      {
        return name
      }
    }
    return nil
  }
}
