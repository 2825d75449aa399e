import CSystem
import Glibc

// The system calls of this room; no other file of it makes any.

/// An open file or folder, closed with its last reference.
package final class OpenFile: Sendable {
  package struct Status {
    var kind: FileKind
    var permissions: mode_t
    package var size: Int
    var device: UInt
    var inode: UInt

    fileprivate init(_ status: stat) {
      kind = FileKind(status)
      permissions = status.st_mode & 0o7777
      size = Int(status.st_size)
      (device, inode) = (UInt(status.st_dev), UInt(status.st_ino))
    }

    var isPlain: Bool { kind == .plain }
  }

  let descriptor: Int32
  /// For messages.
  let path: String

  fileprivate init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  /// Opens a folder; `absent` when nothing is there.
  convenience init(folder path: String) throws(CassetteError) {
    self.init(descriptor: Glibc.open(path, CassetteDirectory.flags), path: path)
    guard descriptor >= 0 else {
      throw errno == ENOENT ? .absent(directory: path) : .failed("open", path)
    }
  }

  /// Opens a plain file, or a link to one, for reading.
  convenience init(plain path: String) throws(CassetteError) {
    self.init(descriptor: Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), path: path)
    guard descriptor >= 0 else { throw .failed("open", path) }
    guard try status().isPlain else { throw .notAPlainFile(path: path) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  package func status() throws(CassetteError) -> Status {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .failed("examine", path) }
    return Status(status)
  }

  /// Reads at most as much as fits into `buffer`; 0 at the end.
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(CassetteError) -> Int {
    while true {
      let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
      if count >= 0 { return count }
      guard errno == EINTR else { throw .failed("read", path) }
    }
  }

  /// Writes all of `bytes`, going on after short writes.
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

  /// Waits until everything written is on the disk. After a failure the file must not be written to again, because the
  /// kernel forgets which of its pages were lost.
  func sync() throws(CassetteError) {
    guard fdatasync(descriptor) == 0 else { throw .failed("sync", path) }
  }

  func truncate(to size: Int) throws(CassetteError) {
    guard ftruncate(descriptor, off_t(size)) == 0 else { throw .failed("truncate", path) }
  }

  func setPermissions(_ permissions: mode_t) throws(CassetteError) {
    guard fchmod(descriptor, permissions) == 0 else { throw .failed("write", path) }
  }

  /// Takes the lock on the file, which goes with the process; false when another holds it.
  func tryLock() throws(CassetteError) -> Bool {
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return false }
      guard errno == EINTR else { throw .failed("lock", path) }
    }
    return true
  }

  static var processID: Int { Int(getpid()) }
}

/// The kind of a directory entry.
enum FileKind {
  case plain, folder, other

  fileprivate init(_ status: stat) {
    switch status.st_mode & S_IFMT {
    case S_IFREG: self = .plain
    case S_IFDIR: self = .folder
    default: self = .other
    }
  }

  /// The kind of a path's target; nil when there is none.
  init?(ofTarget path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Whether there is anything at a path, be it a link that leads nowhere.
  static func isThere(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// A path without links.
  static func resolved(_ path: String) throws(CassetteError) -> String {
    guard let resolved = realpath(path, nil) else { throw .failed("find", path) }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}

// MARK: - Names beneath a directory

/// How names become descriptors: the kernel itself holds every one of them below the directory.
extension CassetteDirectory {
  static let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC

  /// `O_NOATIME`, which Glibc's headers keep to themselves; one value on all of Swift's Linux platforms.
  private static let noAccessTime: Int32 = 0o1000000

  /// Opens `name`, which has at most one folder in front; -1 with `errno` when that fails. Linux 5.6 resolves it
  /// beneath the directory and refuses every link on the way (`ELOOP`); an older one takes one part at a time.
  func open(beneath name: String, _ flags: Int32, mode: mode_t = 0) -> Int32 {
    while true {
      let file = td_open_beneath(descriptor, name, flags, mode)
      if file >= 0 || errno != EINTR && errno != ENOSYS { return file }
      if errno == ENOSYS { return openPartByPart(name, flags, mode: mode) }
    }
  }

  /// As `open(beneath:)`, for kernels without `openat2`.
  func openPartByPart(_ name: String, _ flags: Int32, mode: mode_t = 0) -> Int32 {
    guard let slash = name.firstIndex(of: "/") else {
      return openat(descriptor, name, flags | O_NOFOLLOW, mode)
    }
    let folder = openat(descriptor, String(name[..<slash]), Self.flags | O_NOFOLLOW, 0)
    guard folder >= 0 else { return -1 }
    defer { Self.closeKeepingError(folder) }
    return openat(folder, Self.leaf(name), flags | O_NOFOLLOW, mode)
  }

  /// Acts on a name within its own folder, where no link can lead elsewhere.
  /// - Returns: what `act` returns; -1 with `errno` when the folder cannot be opened.
  private func inFolder(of name: String, _ act: (_ folder: Int32, _ leaf: String) -> Int32) -> Int32 {
    guard let slash = name.firstIndex(of: "/") else { return act(descriptor, name) }
    let folder = open(beneath: String(name[..<slash]), Self.flags)
    guard folder >= 0 else { return -1 }
    defer { Self.closeKeepingError(folder) }
    return act(folder, Self.leaf(name))
  }

  private static func leaf(_ name: String) -> String {
    name.firstIndex(of: "/").map { String(name[name.index(after: $0)...]) } ?? name
  }

  private static func closeKeepingError(_ descriptor: Int32) {
    let code = errno
    close(descriptor)
    errno = code
  }

  /// The error for `errno` after opening `name`; a link, or a file in place of a folder, is not a plain file.
  private func refusal(_ action: String, _ name: String) -> CassetteError {
    [ELOOP, ENOTDIR, EXDEV].contains(errno)
      ? .notAPlainFile(path: path(of: name)) : .failed(action, path(of: name))
  }

  /// Opens an entry of any kind for reading; nil when it is not there.
  func openAny(_ name: String) throws(CassetteError) -> OpenFile? {
    let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    var file = open(beneath: name, flags | Self.noAccessTime)
    if file < 0, errno == EPERM { file = open(beneath: name, flags) }
    if file >= 0 { return OpenFile(descriptor: file, path: path(of: name)) }
    if errno == ENOENT { return nil }
    throw refusal("open", name)
  }

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

  /// The status of a name, with no link followed; nil when it is not there.
  func status(of name: String) throws(CassetteError) -> OpenFile.Status? {
    var status = stat()
    let isThere = inFolder(of: name) { fstatat($0, $1, &status, AT_SYMLINK_NOFOLLOW) } == 0
    if isThere { return OpenFile.Status(status) }
    if errno == ENOENT { return nil }
    throw .failed("examine", path(of: name))
  }

  /// Calls `take` with each name in a folder, as it is listed; not at all when the folder is not there.
  func eachName(in folder: String, _ take: (UnsafeRawBufferPointer) -> Void) throws(CassetteError) {
    let copy = open(beneath: folder, Self.flags)
    guard copy >= 0 else {
      if errno == ENOENT { return }
      throw .failed("open", path(of: folder))
    }
    guard let stream = fdopendir(copy) else {
      close(copy)
      throw .failed("list", path(of: folder))
    }
    defer { closedir(stream) }
    errno = 0
    while let entry = readdir(stream) {
      withUnsafePointer(to: &entry.pointee.d_name) { name in
        take(UnsafeRawBufferPointer(start: name, count: strlen(UnsafeRawPointer(name))))
      }
      errno = 0
    }
    guard errno == 0 else { throw .failed("list", path(of: folder)) }
  }

  func makeFolder(_ name: String) throws(CassetteError) {
    if mkdirat(descriptor, name, 0o700) == 0 { return }
    guard errno == EEXIST else { throw .failed("create", path(of: name)) }
    let folder = open(beneath: name, Self.flags)
    guard folder >= 0 else { throw refusal("open", name) }
    close(folder)
  }

  /// Makes a directory; false when something is there already.
  static func make(_ path: String) throws(CassetteError) -> Bool {
    if mkdir(path, 0o700) == 0 { return true }
    guard errno == EEXIST || errno == EISDIR else { throw .failed("create", path) }
    return false
  }

  /// Removes directories that `create` made, as far as they are empty.
  package static func removeMade(_ paths: [String]) {
    for path in paths.reversed() { rmdir(path) }
  }

  /// Removes a folder if it is empty.
  package func removeFolder(_ name: String) { unlinkat(descriptor, name, AT_REMOVEDIR) }

  /// Renames a file within its folder.
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

  /// Waits until the names in a folder, and the folder's own name, are on the disk.
  func sync(folder: String) throws(CassetteError) {
    guard inFolder(of: "\(folder)/.", { folder, _ in fsync(folder) }) == 0 else {
      throw .failed("sync", path(of: folder))
    }
    try sync()
  }

  /// Waits until renames and removals here are on the disk.
  package func sync() throws(CassetteError) {
    guard fsync(descriptor) == 0 else { throw .failed("sync", path) }
  }

  /// Waits until everything written to this file system is on the disk.
  package func syncFileSystem() throws(CassetteError) {
    guard td_sync_file_system(descriptor) == 0 else { throw .failed("sync", path) }
  }
}

// MARK: - Errors

extension CassetteError {
  /// The error for `errno`, or `code`, after an action on `path`.
  fileprivate static func failed(_ action: String, _ path: String, code: Int32? = nil) -> CassetteError {
    let code = code ?? errno
    return .system(action: action, path: path, code: code, reason: String(cString: strerror(code)))
  }

  static func missing(_ path: String) -> CassetteError { .failed("open", path, code: ENOENT) }

  /// Advice on a system error.
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

/// Runs work that never waits on this thread and one for each other core.
enum Workers {
  private final class Task: Sendable {
    let work: @Sendable () -> Void
    init(_ work: @escaping @Sendable () -> Void) { self.work = work }
  }

  private static let maximum = 8

  /// Calls `work` on up to `count` threads and returns when all calls have returned. There may be fewer, so the work
  /// divides itself among those that come.
  static func run(atMost count: Int, _ work: @escaping @Sendable () -> Void) {
    let others = (1..<max(1, min(count, Int(td_usable_cores()), maximum))).compactMap { _ in start(work) }
    work()
    for thread in others { pthread_join(thread, nil) }
  }

  private static func start(_ work: @escaping @Sendable () -> Void) -> pthread_t? {
    var thread = pthread_t()
    let context = Unmanaged.passRetained(Task(work))
    let code = pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<Task>.fromOpaque(context).takeRetainedValue().work() }
        return nil
      }, context.toOpaque())
    guard code == 0 else {
      context.release()
      return nil
    }
    return thread
  }
}
