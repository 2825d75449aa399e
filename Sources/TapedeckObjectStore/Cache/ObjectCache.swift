internal import TapedeckHTTP
internal import TapedeckRecording
internal import TapedeckRedaction

/// What was fetched from object stores, in one folder for all processes of a user.
///
/// ```
/// objects/ab/cdef…          contents by their SHA-256
/// cassettes/DIGEST/         whole cassettes by the SHA-256 of their manifest, hard-linked with `objects`
/// cassettes/DIGEST.json     their manifests
/// cassettes/DIGEST.lock     shared by those who replay them
/// filling.lock              shared by those who fetch
/// remotes/…                 what is known of each place in a store, and what is being recorded there
/// ```
///
/// Everything comes to be under another name and is renamed once it is whole, so processes need no lock to read it.
/// Contents are verified when they arrive and when a cassette is put together; after that, a file that was changed in
/// place is noticed by its time (`StoreFiles.mark`).
package struct ObjectCache: Sendable {
  package static let standardLimitBytes = 10 << 30

  let root: String
  private let limitBytes: Int

  /// - Parameter root: made if it is absent; must be ours alone.
  package init(root: String, limitBytes: Int = standardLimitBytes) throws(StoreError) {
    (self.root, self.limitBytes) = (root, limitBytes)
    do throws(StoreError) {
      for folder in ["", "/objects", "/cassettes", "/remotes"] { try StoreFiles.makeFolder(root + folder) }
      try StoreFiles.checkOwn(root)
    } catch {
      throw StoreError("the cache of object stores (XDG_CACHE_HOME), \(error.place)", error.reason)
    }
  }

  func object(_ digest: String) -> String { "\(root)/objects/\(digest.prefix(2))/\(digest.dropFirst(2))" }

  private func cassette(_ digest: String) -> String { "\(root)/cassettes/\(digest)" }

  // MARK: Cassettes

  func storeManifest(_ bytes: [UInt8], digest: String) throws(StoreError) {
    try StoreFiles.write(bytes, to: "\(cassette(digest)).json")
  }

  func manifest(digest: String) -> [UInt8]? { StoreFiles.read("\(cassette(digest)).json") }

  /// The folder of a whole cassette, which stays while this process runs; `nil` if it has to be put together.
  func wholeFolder(of version: RemoteCassette.Version) -> CachedCassette? {
    let folder = cassette(version.digest)
    guard StoreFiles.status(folder)?.isFolder ?? false,
      let lock = FileLock("\(folder).lock", isShared: true),
      FileFingerprint(of: folder) == version.fingerprint
    else { return nil }
    StoreFiles.touch("\(folder).json")
    return CachedCassette(folder: folder, lock: lock)
  }

  /// The files of a folder and of those in it, sorted by their bytes.
  func names(in folder: String) -> [String] {
    StoreFiles.names(in: folder).flatMap { name in
      guard StoreFiles.status("\(folder)/\(name)")?.isFolder ?? false else { return [name] }
      return StoreFiles.names(in: "\(folder)/\(name)").map { "\(name)/\($0)" }
    }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Puts a cassette together, and removes others if the cache is too large then.
  /// - Parameter fetch: gets objects that are not here.
  func makeFolder(
    of version: RemoteCassette.Version, _ manifest: RemoteManifest,
    fetch: ([RemoteManifest.File]) throws(StoreError) -> Void
  ) throws(StoreError) -> CachedCassette {
    let whole = try newFolder(of: version, manifest, fetch: fetch)
    shrink()
    return whole
  }

  private func newFolder(
    of version: RemoteCassette.Version, _ manifest: RemoteManifest,
    fetch: ([RemoteManifest.File]) throws(StoreError) -> Void
  ) throws(StoreError) -> CachedCassette {
    let folder = cassette(version.digest)
    let filling = fillingLock()
    defer { withExtendedLifetime(filling) {} }
    let temporary = StoreFiles.temporaryName(beside: folder)
    do throws(StoreError) {
      try fill(temporary, with: manifest, fetch: fetch)
      // What is there is damaged, or was put together by another process meanwhile.
      if let whole = wholeFolder(of: version) {
        StoreFiles.removeAll(temporary)
        return whole
      }
      let old = StoreFiles.temporaryName(beside: folder)
      if (try? StoreFiles.rename(folder, to: old)) != nil { StoreFiles.removeAll(old) }
      try? StoreFiles.rename(temporary, to: folder)
      StoreFiles.removeAll(temporary)
    } catch {
      StoreFiles.removeAll(temporary)
      throw error
    }
    guard let whole = wholeFolder(of: version) else {
      throw StoreError(
        folder, .file("the cassette could not be put together; is another process removing it?"))
    }
    return whole
  }

  /// While it is held, no other process removes objects that no cassette holds yet, or cassettes that nobody uses yet.
  private func fillingLock() -> FileLock? { FileLock("\(root)/filling.lock", isShared: true, waits: true) }

  /// Fills a new folder with the files of a manifest.
  func fill(
    _ folder: String, with manifest: RemoteManifest, fetch: ([RemoteManifest.File]) throws(StoreError) -> Void
  ) throws(StoreError) {
    try StoreFiles.makeFolder(folder)
    for inner in CassetteNames.folders(of: manifest.files.map(\.name)) {
      try StoreFiles.makeFolder("\(folder)/\(inner)")
    }
    let filling = fillingLock()
    defer { withExtendedLifetime(filling) {} }
    var digests: Set<String> = []
    let lacking = manifest.files.filter { digests.insert($0.digest).inserted && !isGood($0) }
    if !lacking.isEmpty {
      try prepareFolders()
      try fetch(lacking)
    }
    for file in manifest.files {
      let name = "\(folder)/\(file.name)"
      switch StoreFiles.link(object(file.digest), as: name) {
      case .done: break
      case .absent: throw StoreError(name, .file("it was removed from the cache meanwhile; try again"))
      case .exists, .refused:
        try StoreFiles.copy(object(file.digest), to: name)
        StoreFiles.seal(name)
      }
    }
  }

  /// Whether an object is here and what it should be; one that is not is removed.
  private func isGood(_ file: RemoteManifest.File) -> Bool {
    let path = object(file.digest)
    guard let status = StoreFiles.status(path) else { return false }
    let digest = SHA256Stream()
    if status.isMarked, status.bytes == file.bytes, StoreFiles.eachPiece(ofFile: path, digest.update),
      digest.finish().hex == file.digest
    {
      return true
    }
    StoreFiles.remove(path)
    return false
  }

  private func prepareFolders() throws(StoreError) {
    for byte in 0..<256 {
      let digits = String(byte, radix: 16)
      try StoreFiles.makeFolder("\(root)/objects/\(byte < 16 ? "0" : "")\(digits)")
    }
  }

  /// Takes in a file that was just put in a store, so that it need not be fetched again.
  func adopt(_ path: String, digest: String) {
    guard (try? StoreFiles.makeFolder("\(root)/objects/\(digest.prefix(2))")) != nil else { return }
    StoreFiles.seal(path)
    _ = StoreFiles.link(path, as: object(digest))
  }

  // MARK: The bound

  /// Removes the cassettes that were not used for longest, and objects that no cassette holds, until the rest is within
  /// the bound. Leaves that to later while a process fetches.
  private func shrink() {
    var bytes = objectBytes()
    guard bytes > limitBytes, let filling = FileLock("\(root)/filling.lock") else { return }
    defer { withExtendedLifetime(filling) {} }
    let cassettes = StoreFiles.names(in: "\(root)/cassettes").filter { $0.hasSuffix(".json") }.map { name in
      (used: StoreFiles.status("\(root)/cassettes/\(name)")?.modified ?? 0, digest: String(name.dropLast(5)))
    }.sorted { $0 < $1 }
    for (_, digest) in cassettes where bytes > limitBytes {
      let folder = cassette(digest)
      guard let lock = FileLock("\(folder).lock") else { continue }
      let old = StoreFiles.temporaryName(beside: folder)
      if (try? StoreFiles.rename(folder, to: old)) != nil { StoreFiles.removeAll(old) }
      StoreFiles.remove("\(folder).json")
      StoreFiles.remove("\(folder).lock")
      withExtendedLifetime(lock) {}
      bytes = removeUnusedObjects()
    }
  }

  private func eachObject(_ take: (String, StoreFiles.Status) -> Void) {
    for folder in StoreFiles.names(in: "\(root)/objects") {
      for name in StoreFiles.names(in: "\(root)/objects/\(folder)") {
        let path = "\(root)/objects/\(folder)/\(name)"
        if let status = StoreFiles.status(path) { take(path, status) }
      }
    }
  }

  private func objectBytes() -> Int {
    var bytes = 0
    eachObject { bytes += $1.bytes }
    return bytes
  }

  private func removeUnusedObjects() -> Int {
    var bytes = 0
    eachObject { path, status in
      if status.links == 1 { StoreFiles.remove(path) } else { bytes += status.bytes }
    }
    return bytes
  }
}

/// A whole cassette in the cache, which is not removed while this is held.
package final class CachedCassette: Sendable {
  package let folder: String
  private let lock: FileLock

  init(folder: String, lock: FileLock) { (self.folder, self.lock) = (folder, lock) }
}

/// Takes an object into the cache, if it is what it should be.
final class CachedObjectSink: ObjectSink {
  private let file: RemoteManifest.File
  private let path: String
  private let temporary: String
  private let written: WrittenFile
  private let digest = SHA256Stream()
  private var count = 0
  private var isRenamed = false

  init(_ file: RemoteManifest.File, in cache: ObjectCache) throws(StoreError) {
    self.file = file
    path = cache.object(file.digest)
    temporary = StoreFiles.temporaryName(beside: path)
    written = try WrittenFile(temporary)
  }

  deinit { if !isRenamed { StoreFiles.remove(temporary) } }

  func take(_ piece: UnsafeRawBufferPointer) -> Bool {
    count += piece.count
    guard count <= file.bytes else { return false }
    digest.update(piece)
    return written.write(piece)
  }

  func finish() throws(StoreError) {
    guard count == file.bytes, digest.finish().hex == file.digest else { throw StoreError(path, .damaged) }
    try written.close()
    StoreFiles.seal(temporary)
    try StoreFiles.rename(temporary, to: path)
    isRenamed = true
  }
}
