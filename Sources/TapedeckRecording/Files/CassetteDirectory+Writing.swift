import CSystem
import Glibc

extension CassetteDirectory {
  /// Opens a directory, making it and its parents where they are missing, for the owner's eyes only.
  /// - Returns: also what was made, outermost first.
  package static func create(_ path: String) throws(CassetteError) -> (
    directory: CassetteDirectory, made: [String]
  ) {
    var made: [String] = []
    var end = path.utf8.startIndex
    while end != path.utf8.endIndex {
      let start = path.utf8.index(after: end)
      end = path.utf8[start...].firstIndex(of: UInt8(ascii: "/")) ?? path.utf8.endIndex
      let prefix = String(path[..<end])
      if mkdir(prefix, 0o700) == 0 {
        made.append(prefix)
      } else if errno != EEXIST && errno != EISDIR {
        let failure = CassetteError.failed("create", prefix)
        removeMade(made)
        throw failure
      }
    }
    do throws(CassetteError) {
      return (try CassetteDirectory(opening: path), made)
    } catch {
      removeMade(made)
      throw error
    }
  }

  /// Removes directories that `create` made, as far as they are empty.
  package static func removeMade(_ paths: [String]) {
    for path in paths.reversed() { rmdir(path) }
  }

  func makeFolder(_ name: String) throws(CassetteError) {
    if mkdirat(descriptor, name, 0o700) == 0 { return }
    guard errno == EEXIST else { throw .failed("create", path(of: name)) }
    let folder = open(beneath: name, Self.flags)
    guard folder >= 0 else { throw refusal("open", name) }
    close(folder)
  }

  /// Removes a folder if it is empty.
  package func removeFolder(_ name: String) { unlinkat(descriptor, name, AT_REMOVEDIR) }

  /// Makes a new file for writing; it must not be there yet.
  func createFile(_ name: String) throws(CassetteError) -> OpenFile {
    try open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, action: "create")
  }

  /// Opens a file for reading and appending, making it where it is missing.
  func openForAppending(_ name: String) throws(CassetteError) -> OpenFile {
    try open(name, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, action: "write")
  }

  private func open(_ name: String, _ flags: Int32, action: String) throws(CassetteError) -> OpenFile {
    let file = open(beneath: name, flags, mode: 0o600)
    guard file >= 0 else { throw refusal(action, name) }
    return OpenFile(descriptor: file, path: path(of: name))
  }

  package func createFile(_ name: String, contents: [UInt8]) throws(CassetteError) {
    try createFile(name).write(contents)
  }

  /// Gives a file a new name in the folder it stands in.
  package func rename(_ old: String, to new: String) throws(CassetteError) {
    let isDone = inFolder(of: old) { folder, leaf in renameat(folder, leaf, folder, Self.leaf(new)) }
    guard isDone == 0 else { throw .failed("rename a file to", path(of: new)) }
  }

  /// Removes a file; it is fine if it is not there.
  package func remove(_ name: String) throws(CassetteError) {
    guard inFolder(of: name, { unlinkat($0, $1, 0) }) == 0 || errno == ENOENT else {
      throw .failed("remove", path(of: name))
    }
  }

  /// Makes the names in a folder of it, and the folder's own, last.
  func sync(folder: String) throws(CassetteError) {
    guard inFolder(of: "\(folder)/.", { folder, _ in fsync(folder) }) == 0 else {
      throw .failed("sync", path(of: folder))
    }
    try sync()
  }

  /// Makes what was renamed and removed here last.
  package func sync() throws(CassetteError) {
    guard fsync(descriptor) == 0 else { throw .failed("sync", path) }
  }

  /// Makes everything written to this file system so far last.
  package func syncFileSystem() throws(CassetteError) {
    guard td_sync_file_system(descriptor) == 0 else { throw .failed("sync", path) }
  }

  /// Whether `name` still leads to the open file.
  func names(_ name: String, _ file: OpenFile) throws(CassetteError) -> Bool {
    var status = stat()
    guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      if errno == ENOENT { return false }
      throw .failed("examine", path(of: name))
    }
    let own = try file.status()
    return own.device == status.st_dev && own.inode == status.st_ino
  }
}
