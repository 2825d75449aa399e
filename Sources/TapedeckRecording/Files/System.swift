import CSystem
import Glibc

// All system calls of this room are in this file.

/// An open file or folder, closed with its last reference.
package final class OpenFile: Sendable {
  package struct Status {
    private let status: stat

    fileprivate init(_ status: stat) { self.status = status }

    init?(at path: String) {
      var status = Glibc.stat()
      guard stat(path, &status) == 0 else { return nil }
      self.init(status)
    }

    var isPlain: Bool { status.st_mode & S_IFMT == S_IFREG }
    var isFolder: Bool { status.st_mode & S_IFMT == S_IFDIR }
    var permissions: mode_t { status.st_mode & 0o7777 }
    package var size: Int { Int(status.st_size) }

    func isSameFile(as other: Status) -> Bool {
      (status.st_dev, status.st_ino) == (other.status.st_dev, other.status.st_ino)
    }
  }

  let descriptor: Int32
  let path: String

  fileprivate init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  convenience init(folder path: String) throws(CassetteError) {
    self.init(descriptor: Glibc.open(path, CassetteDirectory.flags), path: path)
    guard descriptor >= 0 else {
      throw errno == ENOENT ? .absent(directory: path) : .failed("open", path)
    }
  }

  convenience init(plain path: String) throws(CassetteError) {
    self.init(descriptor: Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), path: path)
    guard descriptor >= 0 else { throw .failed("open", path) }
    guard try status().isPlain else { throw .notAPlainFile(path: path) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  package func status() throws(CassetteError) -> Status {
    var status = stat()
    try CassetteError.check(fstat(descriptor, &status) == 0, "examine", path)
    return Status(status)
  }

  /// Reads at most what fits into `buffer`; returns 0 at the end.
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(CassetteError) -> Int {
    while true {
      let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
      if count >= 0 { return count }
      guard errno == EINTR else { throw .failed("read", path) }
    }
  }

  /// Writes all of `bytes`, continuing after short writes.
  func write(_ bytes: UnsafeRawBufferPointer) throws(CassetteError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if count == 0 || errno != EINTR {
        throw .failed("write", path)
      }
    }
  }

  /// Waits for all writes. After a failure do not write again: the kernel forgets which pages were lost.
  func sync() throws(CassetteError) { try CassetteError.check(fdatasync(descriptor) == 0, "sync", path) }

  func truncate(to size: Int) throws(CassetteError) {
    try CassetteError.check(ftruncate(descriptor, off_t(size)) == 0, "truncate", path)
  }

  func setPermissions(_ permissions: mode_t) throws(CassetteError) {
    try CassetteError.check(fchmod(descriptor, permissions) == 0, "write", path)
  }

  /// Takes the lock, which ends with the process; returns `false` when another process holds it.
  func tryLock() throws(CassetteError) -> Bool {
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return false }
      guard errno == EINTR else { throw .failed("lock", path) }
    }
    return true
  }

  static var processID: Int { Int(getpid()) }
}

extension Cassette {
  /// Whether anything exists at a path, even a dangling link.
  public static func exists(at path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }
}

extension ForeignFile {
  static func resolved(_ path: String) throws(CassetteError) -> String {
    guard let resolved = realpath(path, nil) else { throw .failed("find", path) }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}

// MARK: - Names beneath a directory

/// Opens names beneath the directory; the kernel refuses to leave it.
extension CassetteDirectory {
  static let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC

  /// `O_NOATIME`, which Glibc's headers hide; it has the same value on all of Swift's Linux platforms.
  private static let noAccessTime: Int32 = 0o1000000

  /// Opens `name`, which has at most one folder; returns -1 with `errno` on failure. Linux 5.6 and later
  /// refuse every link on the way (`ELOOP`); older kernels open the name part by part.
  func open(beneath name: String, _ flags: Int32, mode: mode_t = 0) -> Int32 {
    while true {
      let file = td_open_beneath(descriptor, name, flags, mode)
      if file >= 0 || errno != EINTR && errno != ENOSYS { return file }
      if errno == ENOSYS { return openPartByPart(name, flags, mode: mode) }
    }
  }

  /// `open(beneath:)` for kernels without `openat2`.
  func openPartByPart(_ name: String, _ flags: Int32, mode: mode_t = 0) -> Int32 {
    guard let slash = name.firstIndex(of: "/") else {
      return openat(descriptor, name, flags | O_NOFOLLOW, mode)
    }
    let folder = openat(descriptor, String(name[..<slash]), Self.flags | O_NOFOLLOW, 0)
    guard folder >= 0 else { return -1 }
    defer { Self.closeKeepingError(folder) }
    return openat(folder, ForeignFile.leaf(of: name), flags | O_NOFOLLOW, mode)
  }

  /// Calls `act` with the open folder of a name, so that no link can redirect it; -1 when that fails.
  private func inFolder(of name: String, _ act: (_ folder: Int32, _ leaf: String) -> Int32) -> Int32 {
    guard let slash = name.firstIndex(of: "/") else { return act(descriptor, name) }
    let folder = open(beneath: String(name[..<slash]), Self.flags)
    guard folder >= 0 else { return -1 }
    defer { Self.closeKeepingError(folder) }
    return act(folder, ForeignFile.leaf(of: name))
  }

  private static func closeKeepingError(_ descriptor: Int32) {
    let code = errno
    close(descriptor)
    errno = code
  }

  /// The error for `errno` after opening `name`; a link, or a file used as a folder, is not a plain file.
  private func refusal(_ action: String, _ name: String) -> CassetteError {
    [ELOOP, ENOTDIR, EXDEV].contains(errno)
      ? .notAPlainFile(path: path(of: name)) : .failed(action, path(of: name))
  }

  func openAny(_ name: String) throws(CassetteError) -> OpenFile? {
    let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    var file = open(beneath: name, flags | Self.noAccessTime)
    if file < 0, errno == EPERM { file = open(beneath: name, flags) }
    if file >= 0 { return OpenFile(descriptor: file, path: path(of: name)) }
    if errno == ENOENT { return nil }
    throw refusal("open", name)
  }

  func createFile(_ name: String) throws(CassetteError) -> OpenFile {
    try open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, action: "create")
  }

  /// - Parameter label: the name in messages, if the file will be renamed.
  func openForAppending(_ name: String, as label: String? = nil) throws(CassetteError) -> OpenFile {
    try open(
      name, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, action: "write", as: label)
  }

  private func open(
    _ name: String, _ flags: Int32, action: String, as label: String? = nil
  ) throws(CassetteError) -> OpenFile {
    let file = open(beneath: name, flags, mode: 0o600)
    guard file >= 0 else { throw refusal(action, name) }
    return OpenFile(descriptor: file, path: path(of: label ?? name))
  }

  /// The status of a name, without following links.
  func status(of name: String) throws(CassetteError) -> OpenFile.Status? {
    var status = stat()
    let isThere = inFolder(of: name) { fstatat($0, $1, &status, AT_SYMLINK_NOFOLLOW) } == 0
    if isThere { return OpenFile.Status(status) }
    if errno == ENOENT { return nil }
    throw .failed("examine", path(of: name))
  }

  /// The names in the directory or a folder of it, sorted by bytes; empty when the folder does not exist.
  package func names(in folder: String = ".") throws(CassetteError) -> [String] {
    let copy = open(beneath: folder, Self.flags)
    guard copy >= 0 else {
      if errno == ENOENT { return [] }
      throw .failed("open", path(of: folder))
    }
    guard let stream = fdopendir(copy) else {
      close(copy)
      throw .failed("list", path(of: folder))
    }
    defer { closedir(stream) }
    var names: [String] = []
    errno = 0
    while let entry = readdir(stream) {
      let bytes = withUnsafePointer(to: &entry.pointee.d_name) { name in
        Array(UnsafeRawBufferPointer(start: name, count: strlen(UnsafeRawPointer(name))))
      }
      guard let name = String(validating: bytes, as: UTF8.self) else {
        throw .invalidEntry(
          file: path(of: String(decoding: bytes, as: UTF8.self)), member: "", problem: "the name is not UTF-8"
        )
      }
      if name != ".", name != ".." { names.append(name) }
      errno = 0
    }
    guard errno == 0 else { throw .failed("list", path(of: folder)) }
    return names.sorted { strcmp($0, $1) < 0 }
  }

  /// Creates a folder, unless there is one.
  package func makeFolder(_ name: String) throws(CassetteError) {
    if mkdirat(descriptor, name, 0o700) == 0 { return }
    guard errno == EEXIST else { throw .failed("create", path(of: name)) }
    let folder = open(beneath: name, Self.flags)
    guard folder >= 0 else { throw refusal("open", name) }
    close(folder)
  }

  /// Creates a directory; returns `false` when the name exists.
  static func make(_ path: String) throws(CassetteError) -> Bool {
    if mkdir(path, 0o700) == 0 { return true }
    guard errno == EEXIST || errno == EISDIR else { throw .failed("create", path) }
    return false
  }

  /// Removes the directories that `create` made, if they are empty.
  package static func removeMade(_ paths: [String]) {
    for path in paths.reversed() { rmdir(path) }
  }

  /// Removes a folder if it is empty.
  package func removeFolder(_ name: String) { unlinkat(descriptor, name, AT_REMOVEDIR) }

  package func rename(_ old: String, to new: String) throws(CassetteError) {
    let result = inFolder(of: old) { oldFolder, oldLeaf in
      inFolder(of: new) { renameat(oldFolder, oldLeaf, $0, $1) }
    }
    try CassetteError.check(result == 0, "rename a file to", path(of: new))
  }

  /// Removes a file, if it exists.
  package func remove(_ name: String) throws(CassetteError) {
    let isGone = inFolder(of: name) { unlinkat($0, $1, 0) } == 0 || errno == ENOENT
    try CassetteError.check(isGone, "remove", path(of: name))
  }

  /// Waits until the names in a folder, and the folder's own name, are on disk.
  package func sync(folder: String) throws(CassetteError) {
    let result = inFolder(of: "\(folder)/.") { folder, _ in fsync(folder) }
    try CassetteError.check(result == 0, "sync", path(of: folder))
    try sync()
  }

  /// Waits until renames and removals here are on disk.
  package func sync() throws(CassetteError) { try CassetteError.check(fsync(descriptor) == 0, "sync", path) }

  /// Waits until all writes to this file system are on disk.
  package func syncFileSystem() throws(CassetteError) {
    try CassetteError.check(td_sync_file_system(descriptor) == 0, "sync", path)
  }
}

// MARK: - Errors

extension CassetteError {
  fileprivate static func failed(_ action: String, _ path: String, code: Int32? = nil) -> CassetteError {
    let code = code ?? errno
    return .system(action: action, path: path, code: code, reason: String(cString: strerror(code)))
  }

  fileprivate static func check(
    _ isDone: Bool, _ action: String, _ path: @autoclosure () -> String
  ) throws(CassetteError) {
    if !isDone { throw failed(action, path()) }
  }

  static func missing(_ path: String) -> CassetteError { .failed("open", path, code: ENOENT) }

  static func remedy(for code: Int32) -> String {
    switch code {
    case EACCES, EPERM: "; check its owner and permissions (ls -ld), or choose another folder"
    case EROFS: "; the file system is read-only: choose another folder"
    case ENOSPC, EDQUOT: "; make room there"
    case ENOTDIR: "; a file stands where a folder is wanted"
    default: ""
    }
  }
}

// MARK: - Threads

/// Runs work that never blocks on this thread and one for each other core.
final class Workers: Sendable {
  private static let maximum = 8
  private let work: @Sendable () -> Void

  private init(_ work: @escaping @Sendable () -> Void) { self.work = work }

  /// Calls `work` on at most `count` threads, which must share it; returns when all calls have returned.
  static func run(atMost count: Int, _ work: @escaping @Sendable () -> Void) {
    let workers = Workers(work)
    let others = (1..<max(1, min(count, Int(td_usable_cores()), maximum))).compactMap { _ in workers.start() }
    work()
    for thread in others { pthread_join(thread, nil) }
  }

  private func start() -> pthread_t? {
    var thread = pthread_t()
    let context = Unmanaged.passRetained(self)
    let code = pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<Workers>.fromOpaque(context).takeRetainedValue().work() }
        return nil
      }, context.toOpaque())
    guard code == 0 else {
      context.release()
      return nil
    }
    return thread
  }
}
