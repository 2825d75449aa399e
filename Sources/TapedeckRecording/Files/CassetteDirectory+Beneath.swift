import CSystem
import Glibc

/// How names become descriptors: the kernel itself holds every one of them below the directory.
extension CassetteDirectory {
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
    return openat(folder, String(name[name.index(after: slash)...]), flags | O_NOFOLLOW, mode)
  }

  /// Does something with a plain name in the folder it stands in, which no link can lead elsewhere.
  /// - Returns: what `act` returns; -1 with `errno` when the folder cannot be opened.
  func inFolder(of name: String, _ act: (_ folder: Int32, _ leaf: String) -> Int32) -> Int32 {
    guard let slash = name.firstIndex(of: "/") else { return act(descriptor, name) }
    let folder = open(beneath: String(name[..<slash]), Self.flags)
    guard folder >= 0 else { return -1 }
    defer { Self.closeKeepingError(folder) }
    return act(folder, Self.leaf(name))
  }

  static func leaf(_ name: String) -> String {
    name.firstIndex(of: "/").map { String(name[name.index(after: $0)...]) } ?? name
  }

  private static func closeKeepingError(_ descriptor: Int32) {
    let code = errno
    close(descriptor)
    errno = code
  }

  /// What `errno` says about opening `name`, where a link, or a file in place of a folder, is no plain file.
  func refusal(_ action: String, _ name: String) -> CassetteError {
    [ELOOP, ENOTDIR, EXDEV].contains(errno)
      ? .notAPlainFile(path: path(of: name)) : .failed(action, path(of: name))
  }
}
