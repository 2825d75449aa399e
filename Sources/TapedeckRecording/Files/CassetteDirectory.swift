import Glibc

/// The disk, as this room sees it: one open directory, in which everything is found by plain name.
///
/// Only this folder of sources makes system calls. Names are opened beneath the directory's descriptor and never
/// through links (`openat2`, see `open(beneath:)`), never blocking on what is no plain file, and for reading leave no
/// trace (`O_NOATIME` where the system lets us). Failures carry the path and the system's word for what went wrong.
package final class CassetteDirectory: Sendable {
  /// As the user gave it, for messages.
  package let path: String
  let descriptor: Int32

  static let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC

  /// Opens a directory; `absent` when nothing is there.
  package init(opening path: String) throws(CassetteError) {
    descriptor = Glibc.open(path, Self.flags)
    self.path = path
    guard descriptor >= 0 else {
      throw errno == ENOENT ? .absent(directory: path) : .failed("open", path)
    }
  }

  deinit { close(descriptor) }

  package func path(of name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }

  /// All of a plain file; nil when it is not there.
  package func contents(of name: String, limit: Int) throws(CassetteError) -> [UInt8]? {
    guard let file = try openForReading(name) else { return nil }
    return try file.contents(limit: limit)
  }

  /// The bytes of a plain file; nil when there is none of that name.
  package func size(of name: String) throws(CassetteError) -> Int? {
    var status = stat()
    let isThere = inFolder(of: name) { fstatat($0, $1, &status, AT_SYMLINK_NOFOLLOW) } == 0
    guard isThere else {
      if errno == ENOENT { return nil }
      throw .failed("examine", path(of: name))
    }
    return status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
  }

  /// Whether a name is one of a folder, and no link to one.
  package func isFolder(_ name: String) -> Bool {
    var status = stat()
    return inFolder(of: name) { fstatat($0, $1, &status, AT_SYMLINK_NOFOLLOW) } == 0
      && status.st_mode & S_IFMT == S_IFDIR
  }

  /// A file in `bodies/`, whose name has been checked.
  package func openBody(_ name: String) throws(CassetteError) -> OpenFile {
    guard let file = try openForReading(name) else {
      errno = ENOENT
      throw .failed("open", path(of: name))
    }
    return file
  }

  /// A plain file; nil when it is not there.
  package func openForReading(_ name: String) throws(CassetteError) -> OpenFile? {
    guard let file = try descriptor(forReading: name) else { return nil }
    let opened = OpenFile(descriptor: file, path: path(of: name))
    guard try opened.status().isPlain else { throw .notAPlainFile(path: path(of: name)) }
    return opened
  }

  /// Opens what may or may not be a plain file, for the caller to close; nil when it is not there.
  func descriptor(forReading name: String) throws(CassetteError) -> Int32? {
    let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    var file = open(beneath: name, flags | Self.noAccessTime)
    if file < 0, errno == EPERM { file = open(beneath: name, flags) }
    guard file >= 0 else {
      if errno == ENOENT { return nil }
      throw refusal("open", name)
    }
    return file
  }

  /// `O_NOATIME`, which Glibc's headers keep to themselves; one value on all of Swift's Linux platforms.
  private static let noAccessTime: Int32 = 0o1000000
}

extension CassetteError {
  /// What `errno` says now about something tried with `path`.
  static func failed(_ action: String, _ path: String) -> CassetteError {
    let code = errno
    return .system(action: action, path: path, code: code, reason: String(cString: strerror(code)))
  }

  static func tooLarge(_ path: String, bytes: Int, limit: Int) -> CassetteError {
    .invalidEntry(file: path, member: "", problem: "\(bytes) bytes are more than the limit of \(limit)")
  }

  /// What to do about a refusal of the system.
  static func remedy(for code: Int32) -> String {
    switch code {
    case EACCES, EPERM: "; check its owner and permissions (ls -ld), or choose another folder"
    case EROFS: "; the file system is read-only: choose another folder"
    case ENOSPC, EDQUOT: "; make room there"
    case ENOTDIR: "; a file stands where a folder is wanted"
    default: ""
    }
  }

  var isNoSuchFile: Bool {
    guard case .system(_, _, let code, _) = self else { return false }
    return code == ENOENT
  }
}
