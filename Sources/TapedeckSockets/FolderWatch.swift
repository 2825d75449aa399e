internal import Glibc

/// Watches the files of some folders (inotify), on one loop, which retains it.
///
/// Reports a written file when it is closed, a moved one at once. Follows folders that come and go.
public final class FolderWatch: EventHandler {
  public struct Change: Sendable {
    /// The file's name in its folder; empty after an overflow of the kernel's queue.
    public let name: String
    /// Whether the file is complete: written and closed, or moved here.
    public let isComplete: Bool
  }

  private static let events = UInt32(
    IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF)

  private let descriptor: Int32
  private let onChange: ([Change]) -> Void
  private var watched: Set<Int32> = []

  public init(on loop: EventLoop, _ onChange: @escaping ([Change]) -> Void) throws(SocketError) {
    descriptor = inotify_init1(O_NONBLOCK | O_CLOEXEC)
    self.onChange = onChange
    guard descriptor >= 0 else { throw SocketError("inotify_init1") }
    _ = try loop.add(descriptor, .read, handler: self)
  }

  deinit { close(descriptor) }

  /// Watches only these folders, or the nearest existing ancestor of a missing one. Must be called again
  /// after each change. Throws when the kernel has no watches left.
  public func watch(_ folders: [String]) throws(SocketError) {
    var wanted: Set<Int32> = []
    for folder in folders { try add(folder.isEmpty ? "." : folder, to: &wanted) }
    for old in watched.subtracting(wanted) { _ = inotify_rm_watch(descriptor, old) }
    watched = wanted
  }

  private func add(_ folder: String, to wanted: inout Set<Int32>) throws(SocketError) {
    if try insert(folder, into: &wanted) { return }
    let parent = Self.parent(folder)
    guard parent != folder else { return }
    try add(parent, to: &wanted)
    // The folder may have been created before its parent was watched.
    _ = try insert(folder, into: &wanted)
  }

  private func insert(_ folder: String, into wanted: inout Set<Int32>) throws(SocketError) -> Bool {
    let watch = inotify_add_watch(descriptor, folder, Self.events | UInt32(IN_ONLYDIR))
    if watch >= 0 {
      wanted.insert(watch)
      return true
    }
    if errno == ENOSPC || errno == ENOMEM { throw SocketError("inotify_add_watch", subject: folder) }
    return false
  }

  private static func parent(_ folder: String) -> String {
    let trimmed = folder.count > 1 && folder.hasSuffix("/") ? folder.dropLast() : folder[...]
    guard let slash = trimmed.lastIndex(of: "/") else { return "." }
    return slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
  }

  public func descriptorReady(_ readiness: Readiness) {
    var changes: [Change] = []
    var buffer = [UInt8](repeating: 0, count: 16 * 1024)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { break }
      Self.append(buffer[..<count], to: &changes)
    }
    if !changes.isEmpty { onChange(changes) }
  }

  /// inotify(7): `wd`, `mask`, `cookie` and `len`, four bytes each, then a zero-padded name of `len` bytes.
  private static func append(_ bytes: ArraySlice<UInt8>, to changes: inout [Change]) {
    let complete = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_Q_OVERFLOW)
    bytes.withUnsafeBytes { bytes in
      var index = 0
      while index + 16 <= bytes.count {
        let mask = bytes.loadUnaligned(fromByteOffset: index + 4, as: UInt32.self)
        let length = Int(bytes.loadUnaligned(fromByteOffset: index + 12, as: UInt32.self))
        let name = bytes[(index + 16)..<min(index + 16 + length, bytes.count)].prefix { $0 != 0 }
        changes.append(
          Change(name: String(decoding: name, as: UTF8.self), isComplete: mask & complete != 0))
        index += 16 + length
      }
    }
  }
}
