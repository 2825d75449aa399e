internal import Glibc
internal import TapedeckAdmin

/// The file that holds a token for `tapedeck ctl`, readable only by its owner.
struct AdminTokenFile {
  let path: String

  /// The default file for the admin API on a port, in a folder that only its owner can enter.
  static func standard(port: Int, environment: (String) -> String?) -> AdminTokenFile {
    AdminTokenFile(path: "\(folder(environment))/admin-\(port).token")
  }

  private static func folder(_ environment: (String) -> String?) -> String {
    if let runtime = environment("XDG_RUNTIME_DIR"), runtime.hasPrefix("/") { return runtime + "/tapedeck" }
    let temporary = environment("TMPDIR").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
    return "\(temporary)/tapedeck-\(getuid())"
  }

  /// Writes the token, replacing one that an earlier run left.
  /// - Parameter makesFolder: whether to make the folder, which then must belong to us alone.
  func write(_ token: AdminToken, makesFolder: Bool) throws(Failure) {
    if makesFolder { try makeFolder() }
    unlink(path)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure() }
    defer { close(descriptor) }
    let bytes = Array((token.text + "\n").utf8)
    guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else { throw failure() }
  }

  /// Refuses a folder that somebody else made, since they could swap it.
  private func makeFolder() throws(Failure) {
    guard let slash = path.lastIndex(of: "/") else { return }
    let folder = String(path[..<slash])
    if mkdir(folder, 0o700) != 0, errno != EEXIST { throw failure() }
    var status = stat()
    guard lstat(folder, &status) == 0 else { throw failure() }
    let isFolder = status.st_mode & S_IFMT == S_IFDIR
    guard isFolder, status.st_uid == getuid(), status.st_mode & 0o077 == 0 else {
      throw failure(
        "\(folder) is not a folder of ours that nobody else can enter; "
          + "remove it, or name another file with --admin-token-file")
    }
  }

  /// The token that a run wrote; `nil` if the file cannot be read.
  func read() -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 512)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    guard count > 0 else { return nil }
    return String(decoding: bytes[..<count].prefix { $0 > 0x20 }, as: UTF8.self)
  }

  func remove() { unlink(path) }

  private func failure(_ problem: String = String(cString: strerror(errno))) -> Failure {
    Failure("cannot write the admin token to \(path): \(problem)")
  }
}
