internal import Glibc

/// A file that a rule names: beneath the folder of the overrides file, and plain.
enum RuleFile {
  private static let limitBytes = 64 << 20

  /// - Parameters:
  ///   - folder: nil where rules may name no files.
  ///   - place: of the member that names it.
  static func read(_ name: String, in folder: String?, at place: String) throws(OverrideProblem) -> [UInt8] {
    guard let folder else {
      throw OverrideProblem(place, "only an overrides file may name files; give the content itself")
    }
    guard !name.isEmpty, !name.utf8.contains(0) else { throw OverrideProblem(place, "must name a file") }
    let path = path(of: name, in: folder)
    guard let root = resolved(folder) else { throw cannot("read", folder, place) }
    guard let real = resolved(path) else { throw cannot("read", path, place) }
    guard real.hasPrefix(root == "/" ? root : root + "/"), !name.hasPrefix("/") else {
      throw OverrideProblem(
        place,
        "must be a path beneath the folder of the overrides file, and \(name.debugDescription) leads out of it"
      )
    }
    return try contents(path, place)
  }

  /// Where a file stands that a rule of a folder names.
  static func path(of name: String, in folder: String) -> String {
    folder.isEmpty || folder == "." ? name : folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
  }

  /// Without links and dots; nil with `errno` where there is nothing.
  static func resolved(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  private static func contents(_ path: String, _ place: String) throws(OverrideProblem) -> [UInt8] {
    // Without waiting for whoever would write to a pipe.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw cannot("read", path, place) }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw cannot("examine", path, place) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw OverrideProblem(place, "\(path) is no plain file")
    }
    guard status.st_size <= limitBytes else {
      throw OverrideProblem(place, "\(path) is larger than 64 MiB, and would be held in memory")
    }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 64 * 1024)
    while bytes.count <= limitBytes {
      let count = Glibc.read(file, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw cannot("read", path, place) }
      if count == 0 { return bytes }
      bytes += piece[..<count]
    }
    throw OverrideProblem(place, "\(path) is larger than 64 MiB, and would be held in memory")
  }

  private static func cannot(_ action: String, _ path: String, _ place: String) -> OverrideProblem {
    OverrideProblem(place, "cannot \(action) \(path): \(String(cString: strerror(errno)))")
  }
}
