internal import TapedeckHTTP
internal import TapedeckSockets

/// Reads an overrides file anew whenever it, or a file that it names, is saved: at once when that was written and closed
/// or moved into its place; after a moment of rest when all that is known is that something is different, or when what
/// was found is broken, since it may be half of a save.
///
/// Belongs to one loop. Asleep while nothing changes in the folders of these files.
final class OverridesReloader {
  private static let restNanoseconds: Int64 = 100_000_000

  /// What it begins with.
  struct Start: Sendable {
    /// The file as it was read when the proxy started.
    let snapshot: OverridesSnapshot
    let notice: @Sendable (String) -> Void
    /// Takes what was read anew.
    let apply: @Sendable (OverridesDocument) -> Void
  }

  private let file: OverridesFile
  private let apply: @Sendable (OverridesDocument) -> Void
  private let notice: @Sendable (String) -> Void
  /// Kept by the loop.
  private weak var watch: FolderWatch?
  private var timer: LoopTimer?
  /// The overrides file and those it names.
  private var paths: [String]
  private var stamps: [[Int]?]
  /// Whether it was told that the file cannot be read.
  private var isGone = false

  init(_ start: Start) {
    file = start.snapshot.file
    (apply, notice) = (start.apply, start.notice)
    (paths, stamps) = (start.snapshot.paths, start.snapshot.stamps)
  }

  /// Begins to watch. Throws when the kernel has no watches left.
  func start(on loop: EventLoop) throws(SocketError) {
    timer = loop.makeTimer { [weak self] in self?.reload(isSettled: true) }
    let watch = try FolderWatch(on: loop) { [self] in react(to: $0) }
    self.watch = watch
    try arm()
    // What was saved since the file was read.
    if isDifferent { rest() }
  }

  private func react(to changes: [FolderWatch.Change]) {
    do throws(SocketError) { try arm() } catch {
      notice("overrides: \(file.path) is not watched any more (\(error)); restart to read it anew")
    }
    let names = Set(paths.flatMap { [$0, FileContents.resolved($0) ?? $0] }.map(Self.name))
    if changes.contains(where: { $0.isComplete && ($0.name.isEmpty || names.contains($0.name)) }) {
      reload(isSettled: false)
    } else if isDifferent {
      rest()
    }
  }

  /// Watches the folders in which the files stand, and those to which links lead.
  private func arm() throws(SocketError) {
    let folders = paths.flatMap { [$0, FileContents.resolved($0) ?? $0] }.map(OverridesFile.folder)
    try watch?.watch(Set(folders).sorted())
  }

  private static func name(_ path: String) -> String {
    path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
  }

  private var isDifferent: Bool { paths.map(FileContents.stamp) != stamps }

  private func rest() {
    timer?.set(MonotonicTime(nanoseconds: MonotonicTime.now.nanoseconds + Self.restNanoseconds))
  }

  /// - Parameter isSettled: whether what is wrong now will not right itself.
  private func reload(isSettled: Bool) {
    timer?.cancel()
    do throws(OverridesFileError) {
      let snapshot = try OverridesSnapshot(file, mayBePipe: false)
      isGone = false
      let areNew = snapshot.paths != paths
      (paths, stamps) = (snapshot.paths, snapshot.stamps)
      if areNew { try? arm() }
      let document = try file.document(snapshot.bytes)
      apply(document)
      notice("overrides: \(document.summary) from \(file.path)")
    } catch {
      if isSettled { tell(error) } else { rest() }
    }
  }

  private func tell(_ error: OverridesFileError) {
    stamps = paths.map(FileContents.stamp)
    if case .unreadable = error {
      if isGone { return }
      isGone = true
    }
    notice("overrides: \(error); the rules from before stay")
  }
}
