internal import Glibc

/// Where a token lies for those who may use it: a file only its owner can read, in a folder only its owner can enter.
public struct AdminTokenFile: Sendable {
  public let path: String

  public init(path: String) { self.path = path }

  /// The file for the admin API on a port, where `tapedeck ctl` looks for it.
  public static func standard(port: Int, environment: (String) -> String?) -> AdminTokenFile {
    AdminTokenFile(path: "\(folder(environment))/admin-\(port).token")
  }

  private static func folder(_ environment: (String) -> String?) -> String {
    if let runtime = environment("XDG_RUNTIME_DIR"), runtime.hasPrefix("/") { return runtime + "/tapedeck" }
    let temporary = environment("TMPDIR").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
    return "\(temporary)/tapedeck-\(getuid())"
  }

  /// Writes the token, in the place of one that an earlier run has left.
  /// - Parameter makesFolder: whether the file lies in our own folder, which then must belong to us alone.
  public func write(_ token: AdminToken, makesFolder: Bool) throws(AdminError) {
    if makesFolder { try makeFolder() }
    unlink(path)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure() }
    defer { close(descriptor) }
    let bytes = Array((token.text + "\n").utf8)
    guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else { throw failure() }
  }

  /// A folder that another has made for us could be swapped under our hands.
  private func makeFolder() throws(AdminError) {
    guard let slash = path.lastIndex(of: "/") else { return }
    let folder = String(path[..<slash])
    if mkdir(folder, 0o700) != 0, errno != EEXIST { throw failure() }
    var status = stat()
    guard lstat(folder, &status) == 0 else { throw failure() }
    let isFolder = status.st_mode & S_IFMT == S_IFDIR
    guard isFolder, status.st_uid == getuid(), status.st_mode & 0o077 == 0 else {
      throw .tokenFile(
        path: path,
        problem: "\(folder) is not a folder of our own that nobody else may enter; "
          + "remove it, or name another file with --admin-token-file")
    }
  }

  /// What a run has left there; nil when it cannot be read.
  public func read() -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 512)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    guard count > 0 else { return nil }
    return String(decoding: bytes[..<count].prefix { $0 > 0x20 }, as: UTF8.self)
  }

  public func remove() { unlink(path) }

  private func failure() -> AdminError { .tokenFile(path: path, problem: String(cString: strerror(errno))) }
}
