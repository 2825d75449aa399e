internal import TapedeckHTTP
internal import TapedeckRecording
internal import TapedeckRedaction
internal import TapedeckUpstream

/// A cassette in an object store: its manifest, and what the manifest names.
///
/// The manifest is put last and only in the place of the one that was read before (RFC 9110 §13.1), so a reader sees the
/// old cassette or the new one, a writer that dies leaves the old one and objects that nothing names, and of two writers
/// the second is refused. Used by one thread at a time.
package final class RemoteCassette {
  /// What was in force when it was read.
  struct Version: Equatable {
    /// The SHA-256 of the manifest.
    var digest: String
    var tag: String
    /// Of the manifest's files.
    var fingerprint: FileFingerprint
  }

  package let address: StoreAddress
  let cache: ObjectCache
  let surroundings: StoreSurroundings
  private let isOffline: Bool
  /// The file with what is known of this place, and the folder of recordings for it.
  let known: String
  private var made: StoreClient?
  /// The manifest that was parsed last, with its SHA-256.
  private var parsed: (digest: String, manifest: RemoteManifest)?

  package init(
    _ address: StoreAddress, _ surroundings: StoreSurroundings, _ cache: ObjectCache, isOffline: Bool = false
  ) throws(StoreError) {
    (self.address, self.surroundings, self.cache, self.isOffline) = (address, surroundings, cache, isOffline)
    let identity = try StoreClient.identity(of: address, surroundings)
    known = "\(cache.root)/remotes/\(SHA256Digest(of: Array(identity.utf8)).hex.prefix(32))"
  }

  func client() throws(StoreError) -> StoreClient {
    if let made { return made }
    guard !isOffline else { throw StoreError("\(address)", .offline) }
    let client = try StoreClient(address, surroundings)
    made = client
    return client
  }

  /// Requests that were sent to the store.
  package var requestCount: Int { made?.requestCount ?? 0 }

  var manifestKey: String { address.key(RemoteManifest.name) }

  // MARK: Reading

  /// The folder of the cassette as it is now; `nil` if there is none.
  /// - Parameter progress: objects that were fetched, of all that are lacking.
  package func open(progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }) throws(StoreError)
    -> CachedCassette?
  {
    guard let version = try current() else { return nil }
    return try open(version, progress: progress)
  }

  func open(
    _ version: Version, progress: (_ done: Int, _ total: Int) -> Void
  ) throws(StoreError) -> CachedCassette {
    if let whole = cache.wholeFolder(of: version) { return whole }
    return try cache.makeFolder(of: version, try manifest(of: version)) { files throws(StoreError) in
      try fetch(files, progress: progress)
    }
  }

  /// Whether another version is in force than the one with this digest; `nil` if there is no cassette any more.
  package func digest() throws(StoreError) -> String? { try current()?.digest }

  /// The version in force, or offline the last one that was seen; `nil` if there is no cassette.
  func current() throws(StoreError) -> Version? {
    let last = lastSeen()
    if isOffline {
      guard let last else { throw StoreError("\(address)", .offline) }
      return last
    }
    var request = StoreRequest.get(manifestKey, expected: [304, 404])
    request.limitBytes = RemoteManifest.limitBytes
    if let last { request.fields = [(name: "If-None-Match", value: last.tag)] }
    let response = try client().perform(request)
    if response.status == 304, let last { return last }
    if response.status == 404 {
      guard StoreXML.text(of: "Code", in: response.body) != "NoSuchBucket" else {
        throw StoreError("\(address)", .noBucket)
      }
      return nil
    }
    let manifest = try RemoteManifest(parsing: response.body, at: address.place(of: manifestKey))
    guard let tag = response.field("ETag"), tag.utf8.allSatisfy({ $0 > ASCII.space && $0 < 0x7F }) else {
      throw StoreError(address.place(of: manifestKey), .invalidManifest("the store gives it no ETag"))
    }
    return try remember(manifest, response.body, tag: tag)
  }

  /// The manifest of a version, which is in the cache. It is parsed only where its files have to be known.
  func manifest(of version: Version) throws(StoreError) -> RemoteManifest {
    if let parsed, parsed.digest == version.digest { return parsed.manifest }
    guard let bytes = cache.manifest(digest: version.digest) else {
      throw StoreError(known, .file("the manifest was removed from the cache meanwhile; try again"))
    }
    let manifest = try RemoteManifest(parsing: bytes, at: known)
    parsed = (version.digest, manifest)
    return manifest
  }

  /// None where there is no version.
  func files(of version: Version?) throws(StoreError) -> [RemoteManifest.File] {
    guard let version else { return [] }
    return try manifest(of: version).files
  }

  private func lastSeen() -> Version? {
    guard let bytes = StoreFiles.read("\(known).json"), let document = try? JSONValue(parsing: bytes),
      let tag = document["tag"]?.text, let digest = document["digest"]?.text, RemoteManifest.isDigest(digest),
      let fingerprint = document["files"]?.text.flatMap(FileFingerprint.init(parsing:)),
      let stored = cache.manifest(digest: digest), SHA256Digest(of: stored).hex == digest
    else { return nil }
    return Version(digest: digest, tag: tag, fingerprint: fingerprint)
  }

  @discardableResult
  func remember(_ manifest: RemoteManifest, _ bytes: [UInt8], tag: String) throws(StoreError) -> Version {
    let version = Version(
      digest: SHA256Digest(of: bytes).hex, tag: tag, fingerprint: FileFingerprint(of: manifest))
    parsed = (version.digest, manifest)
    try cache.storeManifest(bytes, digest: version.digest)
    let document: JSONValue = [
      "place": JSONValue("\(address)"), "tag": JSONValue(tag), "digest": JSONValue(version.digest),
      "files": JSONValue("\(version.fingerprint)"),
    ]
    try StoreFiles.write(document.bytes(), to: "\(known).json")
    return version
  }

  func fetch(
    _ files: [RemoteManifest.File], progress: (_ done: Int, _ total: Int) -> Void
  ) throws(StoreError) {
    let cache = cache
    let requests = files.map { file in
      var request = StoreRequest.get(address.key(file.object))
      request.makeSink = { () throws(StoreError) in try CachedObjectSink(file, in: cache) }
      return request
    }
    var done = 0
    progress(0, requests.count)
    try client().perform(requests) { _, _ in
      done += 1
      progress(done, requests.count)
    }
  }
}
