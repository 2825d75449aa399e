internal import TapedeckHTTP
internal import TapedeckSockets

/// Reads an overrides file again whenever it, or a file that it names, is saved: at once if that file was closed after
/// writing or renamed into place; after a pause if the change is of another kind, or if the new content is invalid, since
/// it may be half of a save.
///
/// Belongs to one loop, and does nothing while the folders of these files do not change.
final class OverridesReloader {
  private static let restNanoseconds: Int64 = 100_000_000

  private let file: OverridesFile
  private let apply: @Sendable (OverridesDocument) -> Void
  private let notice: @Sendable (String) -> Void
  /// The loop retains it.
  private weak var watch: FolderWatch?
  private var timer: LoopTimer?
  /// The overrides file and the files it names.
  private var paths: [String]
  private var stamps: [[Int]?]
  /// Whether it was reported that the file cannot be read.
  private var isGone = false

  init(
    _ snapshot: OverridesSnapshot, notice: @escaping @Sendable (String) -> Void,
    apply: @escaping @Sendable (OverridesDocument) -> Void
  ) {
    (file, paths, stamps) = (snapshot.file, snapshot.paths, snapshot.stamps)
    (self.notice, self.apply) = (notice, apply)
  }

  /// Starts to watch. Throws if the kernel has no watches left.
  func start(on loop: EventLoop) throws(SocketError) {
    timer = loop.makeTimer { [weak self] in self?.reload(isSettled: true) }
    let watch = try FolderWatch(on: loop) { [self] in react(to: $0) }
    self.watch = watch
    try arm()
    // The file may have been saved since it was read.
    if isDifferent { rest() }
  }

  private func react(to changes: [FolderWatch.Change]) {
    do throws(SocketError) { try arm() } catch {
      notice("overrides: \(file.path) is no longer watched (\(error)); restart to read it again")
    }
    let names = Set(places.map { $0.split(separator: "/").last.map(String.init) ?? $0 })
    if changes.contains(where: { $0.isComplete && ($0.name.isEmpty || names.contains($0.name)) }) {
      reload(isSettled: false)
    } else if isDifferent {
      rest()
    }
  }

  /// The paths, and the targets of symlinks.
  private var places: [String] { paths.flatMap { [$0, FileContents.resolved($0) ?? $0] } }

  private func arm() throws(SocketError) {
    try watch?.watch(Set(places.map(OverridesFile.folder)).sorted())
  }

  private var isDifferent: Bool { paths.map(FileContents.stamp) != stamps }

  private func rest() {
    timer?.set(MonotonicTime(nanoseconds: MonotonicTime.now.nanoseconds + Self.restNanoseconds))
  }

  /// - Parameter isSettled: whether a problem is reported at once, since no further change is to be expected.
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
    notice("overrides: \(error); the previous rules stay")
  }
}
