internal import TapedeckHTTP
internal import TapedeckRecording
internal import TapedeckRedaction

/// A cassette of a store while it is recorded, in a folder of this machine. What a run that died recorded stays in its
/// folder, and the next recording into the same place goes on with it, unless the store has another version by then.
package final class RemoteRecording {
  private static let maximumFolders = 64
  private static let conflict = "conflict"

  /// The cassette's folder; absent while there is no cassette.
  package var folder: String { "\(slot)/cassette" }
  /// What to tell the user before the recording begins.
  package private(set) var notices: [String] = []

  private let remote: RemoteCassette
  private let slot: String
  private let lock: FileLock
  private let base: RemoteCassette.Version?

  package convenience init(
    _ remote: RemoteCassette, progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws(StoreError) {
    let current = try remote.current()
    var notices: [String] = []
    for number in 1...Self.maximumFolders {
      let slot = "\(remote.known).work-\(number)"
      guard let lock = FileLock("\(slot).lock") else { continue }
      if StoreFiles.status(slot)?.isFolder ?? false, Self.holdsWork(slot, remote) {
        if Self.tag(of: slot) == current?.tag, StoreFiles.status("\(slot)/\(Self.conflict)") == nil {
          self.init(remote, slot: slot, lock: lock, base: current, notices: notices)
          return
        }
        notices.append(Self.left(slot, remote.address))
        continue
      }
      try Self.prepare(slot, remote, current, progress: progress)
      self.init(remote, slot: slot, lock: lock, base: current, notices: notices)
      return
    }
    throw StoreError(
      "\(remote.address)",
      .file(
        "\(Self.maximumFolders) recordings of earlier runs, which could not be sealed, are left in "
          + "\(remote.known).work-*; add each with \(Self.merge("FOLDER/cassette", into: remote.address)), or remove it"
      ))
  }

  private init(
    _ remote: RemoteCassette, slot: String, lock: FileLock, base: RemoteCassette.Version?, notices: [String]
  ) {
    (self.remote, self.slot, self.lock, self.base) = (remote, slot, lock, base)
    self.notices = notices
  }

  private static func left(_ slot: String, _ address: StoreAddress) -> String {
    "what an earlier run recorded is not in \(address), which has changed since; to add it: "
      + "\(merge("\(slot)/cassette", into: address)), then remove \(slot)"
  }

  /// The command that adds what is in a folder to a cassette.
  private static func merge(_ folder: String, into address: StoreAddress) -> String {
    let place = ShellWord.quoted("\(address)")
    return "tapedeck merge \(place) \(ShellWord.quoted(folder)) --into \(place)"
  }

  /// Begins anew with a version of the store.
  private static func prepare(
    _ slot: String, _ remote: RemoteCassette, _ base: RemoteCassette.Version?, progress: (Int, Int) -> Void
  ) throws(StoreError) {
    StoreFiles.removeAll(slot)
    let new = "\(slot).new"
    StoreFiles.removeAll(new)
    try StoreFiles.makeFolder(new)
    if let base {
      try StoreFiles.write(Array(base.tag.utf8), to: "\(new)/tag")
      let manifest = try remote.manifest(of: base)
      try StoreFiles.write(manifest.bytes, to: "\(new)/base.json")
      try remote.cache.fill("\(new)/cassette", with: manifest) { files throws(StoreError) in
        try remote.fetch(files, progress: progress)
      }
    }
    try StoreFiles.rename(new, to: slot)
  }

  private static func tag(of slot: String) -> String? {
    StoreFiles.read("\(slot)/tag").map { String(decoding: $0, as: UTF8.self) }
  }

  /// Whether a folder holds more or other than it began with.
  private static func holdsWork(_ slot: String, _ remote: RemoteCassette) -> Bool {
    let folder = "\(slot)/cassette"
    guard let bytes = StoreFiles.read("\(slot)/base.json") else {
      return !remote.cache.names(in: folder).isEmpty
    }
    guard let manifest = try? RemoteManifest(parsing: bytes, at: slot) else { return true }
    return FileFingerprint(of: folder) != FileFingerprint(of: manifest)
  }

  /// Seals the recording in the store, and removes its folder. Does nothing if nothing was recorded.
  ///
  /// Throws `StoreError`; the folder then stays.
  package func publish(progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }) throws(StoreError)
    -> PublishReport
  {
    guard Self.holdsWork(slot, remote) else {
      StoreFiles.removeAll(slot)
      return PublishReport()
    }
    do throws(StoreError) {
      let report = try remote.publish(folder, over: base, progress: progress)
      StoreFiles.removeAll(slot)
      return report
    } catch {
      guard error.reason == .changed else {
        throw StoreError(
          error.place,
          .file(
            "\(error.reason). Nothing is lost: the recording is in \(folder), and the next one into "
              + "\(remote.address) on this machine goes on with it and seals both"))
      }
      try StoreFiles.write([], to: "\(slot)/\(Self.conflict)")
      throw StoreError(
        "\(remote.address)",
        .file(
          "another writer has changed it since this recording began, so it was left as it is; nothing is lost, the "
            + "recording is in \(folder). To put both together: \(Self.merge(folder, into: remote.address))"))
    }
  }
}

extension RemoteCassette {
  /// Puts the cassette in a folder where there is none yet.
  /// - Parameter folder: a sealed cassette, which is only read.
  package func publishNew(
    _ folder: String, progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws(StoreError) -> PublishReport {
    guard try current() == nil else {
      throw StoreError(
        "\(address)", .file("it already exists; to add to it: tapedeck merge … --into \(address)"))
    }
    return try publish(folder, over: nil, adopts: false, progress: progress)
  }

  /// Copies the cassette as it is now to a new folder; `false` if there is none.
  package func copy(
    to folder: String, progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws(StoreError) -> Bool {
    guard let version = try current() else { return false }
    let cached = try open(version, progress: progress)
    let files = try manifest(of: version).files
    guard StoreFiles.status(folder) == nil else {
      throw StoreError(folder, .file("it already exists; choose another name, or remove it"))
    }
    let new = StoreFiles.temporaryName(beside: folder)
    do throws(StoreError) {
      try StoreFiles.makeFolder(new)
      for inner in CassetteNames.folders(of: files.map(\.name)) {
        try StoreFiles.makeFolder("\(new)/\(inner)")
      }
      for file in files {
        try StoreFiles.copy("\(cached.folder)/\(file.name)", to: "\(new)/\(file.name)")
      }
      try StoreFiles.rename(new, to: folder)
    } catch {
      StoreFiles.removeAll(new)
      throw error
    }
    return true
  }
}
