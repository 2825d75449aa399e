internal import Glibc

// All system calls of this room are in this file.

/// Files and folders of the local cache. Every function throws `StoreError` with the system's reason.
enum StoreFiles {
  /// The modification time of everything that is cached. A file that was written to afterwards has another, which is how
  /// a change in place is noticed without reading the file (Nix marks the files of its store in this way).
  static let mark = 1

  struct Status {
    var bytes: Int
    var links: Int
    /// Seconds since 1970.
    var modified: Int
    var isPlain: Bool
    var isFolder: Bool

    var isMarked: Bool { isPlain && modified == StoreFiles.mark }

    init(_ status: stat) {
      (bytes, links) = (Int(status.st_size), Int(status.st_nlink))
      modified = status.st_mtim.tv_sec
      isPlain = status.st_mode & S_IFMT == S_IFREG
      isFolder = status.st_mode & S_IFMT == S_IFDIR
    }
  }

  static func failure(_ action: String, _ path: String) -> StoreError {
    StoreError(path, .file("cannot \(action) it: \(String(cString: strerror(errno)))"))
  }

  static func status(_ path: String) -> Status? {
    var status = stat()
    return lstat(path, &status) == 0 ? Status(status) : nil
  }

  /// Makes a folder that only we can enter, with those above it.
  static func makeFolder(_ path: String) throws(StoreError) {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
      throw failure("make", path)
    }
    try makeFolder(String(path[..<slash]))
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure("make", path) }
  }

  /// Refuses a folder in which somebody else could put things.
  static func checkOwn(_ path: String) throws(StoreError) {
    var status = stat()
    guard stat(path, &status) == 0 else { throw failure("examine", path) }
    guard status.st_uid == getuid(), status.st_mode & 0o077 == 0 else {
      throw StoreError(path, .file("it must be a folder of ours that nobody else can enter (chmod 700)"))
    }
  }

  /// The names in a folder, sorted; empty if there is none.
  static func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Calls `take` for each file of a folder and of the folders in it, in no order; `folder` is `nil` for its own. Names are
  /// looked up from the open folder, and no text is made of them, since there may be very many.
  static func eachFile(
    in path: String, folder: String? = nil,
    _ take: (_ folder: String?, _ name: UnsafeRawBufferPointer, _ status: Status) -> Void
  ) {
    guard let stream = opendir(path) else { return }
    defer { closedir(stream) }
    let dots = [[UInt8(ascii: ".")], [UInt8(ascii: "."), UInt8(ascii: ".")]]
    while let entry = readdir(stream) {
      withUnsafeBytes(of: &entry.pointee.d_name) { field in
        let name = UnsafeRawBufferPointer(rebasing: field.prefix { $0 != 0 })
        var status = stat()
        guard !dots.contains(where: name.elementsEqual), let text = name.baseAddress,
          fstatat(dirfd(stream), text.assumingMemoryBound(to: CChar.self), &status, AT_SYMLINK_NOFOLLOW) == 0
        else { return }
        let found = Status(status)
        if folder == nil, found.isFolder {
          let inner = String(decoding: name, as: UTF8.self)
          eachFile(in: "\(path)/\(inner)", folder: inner, take)
        } else {
          take(folder, name, found)
        }
      }
    }
  }

  static func read(_ path: String) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    let isWhole = eachPiece(of: file) { bytes += $0 }
    return isWhole ? bytes : nil
  }

  /// Calls `take` with each piece of a file; returns whether all of it could be read.
  static func eachPiece(ofFile path: String, _ take: (UnsafeRawBufferPointer) -> Void) -> Bool {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else { return false }
    defer { close(file) }
    return eachPiece(of: file, take)
  }

  private static func eachPiece(of file: Int32, _ take: (UnsafeRawBufferPointer) -> Void) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 16) { buffer in
      while true {
        let count = Glibc.read(file, buffer.baseAddress, buffer.count)
        if count > 0 { take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
        if count == 0 { return true }
        if count < 0, errno != EINTR { return false }
      }
    }
  }

  /// Writes a whole file beside its place and renames it, so that readers never see a part.
  static func write(_ bytes: [UInt8], to path: String) throws(StoreError) {
    let temporary = temporaryName(beside: path)
    let file = try WrittenFile(temporary)
    do throws(StoreError) {
      guard bytes.withUnsafeBytes(file.write) else { throw failure("write", path) }
      try file.close()
      try rename(temporary, to: path)
    } catch {
      remove(temporary)
      throw error
    }
  }

  /// A name of ours that nobody else uses.
  static func temporaryName(beside path: String) -> String {
    "\(path).\(getpid()).\(String(UInt64.random(in: .min ... .max), radix: 36)).tmp"
  }

  static func rename(_ old: String, to new: String) throws(StoreError) {
    guard Glibc.rename(old, new) == 0 else { throw failure("rename a file to", new) }
  }

  static func remove(_ path: String) { unlink(path) }

  /// Removes a folder with everything in it.
  static func removeAll(_ path: String) {
    for name in names(in: path) {
      let inner = "\(path)/\(name)"
      if status(inner)?.isFolder ?? false { removeAll(inner) } else { unlink(inner) }
    }
    rmdir(path)
  }

  /// Gives a file the mark and takes away the right to write it.
  static func seal(_ path: String) {
    chmod(path, 0o400)
    var times = [timespec(tv_sec: mark, tv_nsec: 0), timespec(tv_sec: mark, tv_nsec: 0)]
    utimensat(AT_FDCWD, path, &times, AT_SYMLINK_NOFOLLOW)
  }

  /// Sets the time at which something was used last.
  static func touch(_ path: String) { utimensat(AT_FDCWD, path, nil, 0) }

  enum LinkOutcome { case done, absent, exists, refused }

  /// Makes a second name for a file.
  static func link(_ path: String, as name: String) -> LinkOutcome {
    if Glibc.link(path, name) == 0 { return .done }
    return errno == ENOENT ? .absent : errno == EEXIST ? .exists : .refused
  }

  static func copy(_ path: String, to new: String) throws(StoreError) {
    let file = try WrittenFile(new)
    var isWritten = true
    let isRead = eachPiece(ofFile: path) { isWritten = isWritten && file.write($0) }
    guard isRead, isWritten else {
      remove(new)
      throw failure("copy", path)
    }
    try file.close()
  }

  static func pause(milliseconds: Int) { usleep(UInt32(milliseconds) * 1000) }

  static var processID: Int { Int(getpid()) }
}

/// A new file that is written piece by piece.
final class WrittenFile {
  private let path: String
  private var descriptor: Int32

  init(_ path: String) throws(StoreError) {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StoreFiles.failure("write", path) }
  }

  deinit { if descriptor >= 0 { _ = Glibc.close(descriptor) } }

  func write(_ piece: UnsafeRawBufferPointer) -> Bool {
    var rest = piece[...]
    while !rest.isEmpty {
      let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if count > 0 { rest = rest.dropFirst(count) } else if count == 0 || errno != EINTR { return false }
    }
    return true
  }

  func close() throws(StoreError) {
    let isClosed = Glibc.close(descriptor) == 0
    descriptor = -1
    guard isClosed else { throw StoreFiles.failure("write", path) }
  }
}

/// A lock that ends with the process.
final class FileLock: Sendable {
  private let descriptor: Int32

  /// - Parameters:
  ///   - isShared: whether others may hold it too.
  ///   - waits: whether to wait for another process that holds it.
  /// - Returns: `nil` if another process holds it, or it cannot be made.
  init?(_ path: String, isShared: Bool = false, waits: Bool = false) {
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0, flock(descriptor, (isShared ? LOCK_SH : LOCK_EX) | (waits ? 0 : LOCK_NB)) == 0
    else {
      return nil
    }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }
}
