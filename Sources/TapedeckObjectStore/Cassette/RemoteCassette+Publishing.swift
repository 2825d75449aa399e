internal import TapedeckHTTP
internal import TapedeckRecording
internal import TapedeckRedaction
internal import TapedeckUpstream

/// What a sealing in a store came to.
package struct PublishReport: Equatable, Sendable {
  /// `false` if the store had all of it.
  package var isChanged = false
  package var objects = 0
  package var bytes = 0
  /// Whether the store knows no conditions, so that a lock object stood for them.
  package var usedLock = false

  package init(isChanged: Bool = false, objects: Int = 0, bytes: Int = 0) {
    (self.isChanged, self.objects, self.bytes) = (isChanged, objects, bytes)
  }
}

extension RemoteCassette {
  /// Seals the cassette in a folder in the store, in the place of the version that was read before.
  ///
  /// Throws `StoreError`: `changed` if another writer was first. The version in force then stays.
  /// - Parameters:
  ///   - folder: a sealed cassette.
  ///   - base: the version that it began with; `nil` if there was none.
  ///   - adopts: whether its files go into the cache; they can then no longer be written.
  ///   - progress: objects that were put, of all that are to be.
  func publish(
    _ folder: String, over base: Version?, adopts: Bool = true, progress: (_ done: Int, _ total: Int) -> Void
  ) throws(StoreError) -> PublishReport {
    let names = cache.names(in: folder).filter(RemoteManifest.isFile)
    guard StoreFiles.status("\(folder)/\(CassetteNames.journal)") == nil else {
      throw StoreError(folder, .file("it has a journal that is not sealed"))
    }
    let seal = RemoteManifest.makeSeal(
      at: SigningTime(secondsSince1970: surroundings.seconds()), random: .random(in: .min ... .max))
    let before = try files(of: base)
    let (sealed, added) = try entries(names, in: folder, seal: seal, before: before)
    let manifest = RemoteManifest(seal: seal, files: sealed)
    if base != nil, manifest.files == before { return PublishReport() }
    var report = PublishReport(isChanged: true, objects: added.count)
    report.bytes = added.reduce(0) { $0 + $1.bytes }
    try put(added, from: folder, progress: progress)
    let bytes = manifest.bytes
    let tag: String
    (tag, report.usedLock) = try put(manifest, bytes, over: base)
    if adopts { for file in added { cache.adopt("\(folder)/\(file.name)", digest: file.digest) } }
    // Only a convenience for the next start: the store has everything.
    _ = try? remember(manifest, bytes, tag: tag)
    return report
  }

  /// The files of a manifest, and those among them whose objects are not in the store.
  private func entries(
    _ names: [String], in folder: String, seal: String, before: [RemoteManifest.File]
  ) throws(StoreError) -> (files: [RemoteManifest.File], added: [RemoteManifest.File]) {
    let byName = Dictionary(before.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    var byDigest = Dictionary(before.map { ($0.digest, $0) }, uniquingKeysWith: { first, _ in first })
    var files: [RemoteManifest.File] = []
    var added: [RemoteManifest.File] = []
    for name in names {
      let path = "\(folder)/\(name)"
      guard let status = StoreFiles.status(path), status.isPlain else {
        throw StoreError(path, .file("it is no plain file"))
      }
      if let same = byName[name], status.isMarked, status.bytes == same.bytes {
        files.append(same)
        continue
      }
      let digest = SHA256Stream()
      guard StoreFiles.eachPiece(ofFile: path, digest.update) else { throw StoreFiles.failure("read", path) }
      let hex = digest.finish().hex
      let file = RemoteManifest.File(
        name: name, bytes: status.bytes, seal: byDigest[hex]?.seal ?? seal, digest: hex)
      files.append(file)
      if byDigest.updateValue(byDigest[hex] ?? file, forKey: hex) == nil { added.append(file) }
    }
    return (files, added)
  }

  private func put(
    _ files: [RemoteManifest.File], from folder: String, progress: (_ done: Int, _ total: Int) -> Void
  ) throws(StoreError) {
    let requests = files.map { file in
      StoreRequest(
        method: "PUT", key: address.key(file.object),
        body: .file(path: "\(folder)/\(file.name)", bytes: file.bytes),
        bodySHA256: file.digest)
    }
    var done = 0
    progress(0, requests.count)
    try client().perform(requests) { _, _ in
      done += 1
      progress(done, requests.count)
    }
  }

  // MARK: The manifest

  private func put(
    _ manifest: RemoteManifest, _ bytes: [UInt8], over base: Version?
  ) throws(StoreError) -> (tag: String, usedLock: Bool) {
    guard try knowsConditions() else {
      let lock = StoreLock(client: try client(), seal: manifest.seal, surroundings: surroundings)
      let tag = try lock.held { () throws(StoreError) in
        guard try current()?.tag == base?.tag else { throw StoreError("\(address)", .changed) }
        return try put(bytes, manifest, condition: nil)
      }
      return (tag, true)
    }
    let condition = base.map { (name: "If-Match", value: $0.tag) } ?? (name: "If-None-Match", value: "*")
    return (try put(bytes, manifest, condition: condition), false)
  }

  private func put(
    _ bytes: [UInt8], _ manifest: RemoteManifest, condition: (name: String, value: String)?
  ) throws(StoreError) -> String {
    var request = StoreRequest.put(manifestKey, bytes)
    // 404: there is none any more that could match.
    request.expected = [404, 412]
    if let condition { request.fields = [condition] }
    let response = try client().perform(request)
    if response.status == 200, let tag = response.field("ETag") { return tag }
    // An attempt whose response was lost may have been the one that did it.
    guard let now = try current(), try self.manifest(of: now).seal == manifest.seal else {
      throw StoreError("\(address)", .changed)
    }
    return now.tag
  }

  /// Whether the store heeds `If-None-Match` and `If-Match` of a PUT; asked once for each place.
  private func knowsConditions() throws(StoreError) -> Bool {
    let note = "\(known).conditions"
    if let known = StoreFiles.read(note) { return known == Array("yes".utf8) }
    let key = address.key("probes/\(String(UInt64.random(in: .min ... .max), radix: 16))")
    func isRefused(_ name: String, _ value: String) throws(StoreError) -> Bool {
      var request = StoreRequest.put(key, Array("Whether this store knows conditions.\n".utf8))
      request.fields = [(name: name, value: value)]
      request.expected = [400, 404, 409, 412, 501]
      return try client().perform(request).status == 412
    }
    _ = try client().perform(.put(key, Array("Whether this store knows conditions.\n".utf8)))
    let knowsAbsence = try isRefused("If-None-Match", "*")
    let knows = try isRefused("If-Match", "\"00000000000000000000000000000000\"") && knowsAbsence
    _ = try client().perform(.delete(key))
    try StoreFiles.write(Array((knows ? "yes" : "no").utf8), to: note)
    return knows
  }
}
