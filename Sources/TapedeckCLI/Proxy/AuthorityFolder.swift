internal import Glibc
internal import TapedeckHTTP
internal import TapedeckProxy

/// The user's authority on disk: `authority.pem`, which clients trust, and `authority.key`, which nobody else may read.
struct AuthorityFolder {
  let path: String
  var certificatePath: String { "\(path)/authority.pem" }
  private var keyPath: String { "\(path)/authority.key" }

  /// The folder of the user's data (XDG Base Directory Specification).
  init(environment: (String) -> String? = Terminal.environment) throws(Failure) {
    if let data = environment("XDG_DATA_HOME"), data.hasPrefix("/") {
      path = "\(data)/tapedeck"
    } else if let home = environment("HOME"), home.hasPrefix("/") {
      path = "\(home)/.local/share/tapedeck"
    } else {
      throw Failure(
        "there is no folder for the authority: neither XDG_DATA_HOME nor HOME is an absolute path")
    }
  }

  var isThere: Bool { access(certificatePath, F_OK) == 0 || access(keyPath, F_OK) == 0 }

  /// `nil` if there is none.
  func readIfThere() throws -> AuthorityPEM? { isThere ? try read() : nil }

  func read() throws -> AuthorityPEM {
    guard access(certificatePath, F_OK) == 0 else {
      throw Failure("there is no authority in \(path); make one with: tapedeck ca create")
    }
    try refuse(path, mask: 0o022, fix: "700", because: "others can write to")
    try refuse(keyPath, mask: 0o077, fix: "600", because: "others can read")
    return try AuthorityPEM(
      certificate: [UInt8](contentsOf: certificatePath), key: [UInt8](contentsOf: keyPath))
  }

  /// Refuses what somebody else could have read or changed.
  private func refuse(_ path: String, mask: mode_t, fix: String, because reason: String) throws(Failure) {
    var status = stat()
    guard stat(path, &status) == 0 else { throw Failure(errno: "cannot read \(path)") }
    guard status.st_uid == getuid() || status.st_uid == 0 else {
      throw Failure("\(path) belongs to another user; make an authority of your own with: tapedeck ca rotate")
    }
    guard status.st_mode & mask == 0 else {
      throw Failure(
        "\(reason) \(path), so it is not used; if they have not, type: chmod \(fix) \(ShellWord.quoted(path))"
      )
    }
  }

  /// Stores an authority, in place of one that is there.
  func write(_ authority: AuthorityPEM) throws(Failure) {
    try makeFolder(path)
    // A crash in between leaves a pair that does not fit, which `read` refuses.
    try OutputFile.write(authority.key, to: keyPath, permissions: 0o600)
    try OutputFile.write(authority.certificate, to: certificatePath, permissions: 0o644)
  }

  private func makeFolder(_ folder: String) throws(Failure) {
    if mkdir(folder, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let slash = folder.lastIndex(of: "/"), slash != folder.startIndex else {
      throw Failure(errno: "cannot make \(folder)")
    }
    try makeFolder(String(folder[..<slash]))
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw Failure(errno: "cannot make \(folder)") }
  }
}
