import TapedeckHTTP
package import TapedeckRecording
import TapedeckRedaction

/// Several cassettes as one: for each request the responses of all of them, equal ones once.
package struct CassetteMerge: Sendable {
  /// Whose responses are kept where cassettes differ.
  package enum Preference: String, Sendable, CaseIterable {
    /// All, those of the later cassette behind those of the earlier.
    case both
    case first
    case last
  }

  /// A request to which the cassettes have different responses.
  package struct Conflict: Sendable {
    package let method: String
    package let target: String
    /// The file in the earlier cassette.
    package let fileName: String
  }

  private struct Item {
    var stored: StoredInteraction
    /// Redacted by the rules of the first cassette.
    var interaction: Interaction
    /// Which of the cassettes it comes from.
    var source: Int
  }

  private let preference: Preference
  private var cassettes: [Cassette]
  private var order: [MatchKey] = []
  private var items: [MatchKey: [Item]] = [:]
  package private(set) var conflicts: [Conflict] = []
  /// How many interactions were there already, equal.
  package private(set) var equalCount = 0
  /// What a person should know.
  package private(set) var warnings: [String] = []

  /// The number of interactions in all.
  package var count: Int { items.values.reduce(0) { $0 + $1.count } }

  /// - Parameter cassettes: at least one.
  package init(_ cassettes: [Cassette], preferring preference: Preference) throws(CassetteError) {
    self.preference = preference
    self.cassettes = cassettes
    for (source, cassette) in cassettes.enumerated() {
      try check(cassette)
      try add(cassette, source: source)
    }
  }

  private mutating func check(_ cassette: Cassette) throws(CassetteError) {
    let first = cassettes[0]
    guard cassette.matcher.rules == first.matcher.rules else {
      throw .refused(
        path: cassette.path,
        reason:
          "it matches requests by other rules than \(first.path), so the two cannot tell which requests are "
          + "the same; record one of them again with the rules of the other (`match` in cassette.json)")
    }
    try checkRedaction(cassette, first)
    if cassette.recordedRewriting != first.recordedRewriting {
      warnings.append(
        "\(cassette.path) rewrites \(cassette.recordedRewriting.text) for clients; the merged cassette rewrites "
          + "\(first.recordedRewriting.text), as \(first.path) does")
    }
    if let one = first.upstream, let other = cassette.upstream, one != other {
      warnings.append("\(cassette.path) was recorded from \(other), and \(first.path) from \(one)")
    }
  }

  /// What is not hidden yet can be hidden by the first one's rules; what is hidden by others cannot be found again.
  private func checkRedaction(_ cassette: Cassette, _ first: Cassette) throws(CassetteError) {
    let (own, other) = (first.matcher.redaction, cassette.matcher.redaction)
    guard own != other else { return }
    let hidden = cassette.answers.first { stored in
      let request = stored.interaction.request
      return Placeholder.stands(in: request.target) || Placeholder.stands(in: request.body)
    }
    guard let hidden else { return }
    throw .refused(
      path: cassette.path,
      reason:
        "\(hidden.fileName) holds secrets that were redacted by other rules than those of \(first.path), so "
        + "that no request would match it; record it again with the rules of the other (`redaction` in cassette.json)"
    )
  }

  private mutating func add(_ cassette: Cassette, source: Int) throws(CassetteError) {
    let matcher = cassettes[0].matcher
    let isAlike = cassette.matcher == matcher
    var groups: [MatchKey: [Item]] = [:]
    for stored in cassette.answers {
      let interaction =
        isAlike ? stored.interaction : matcher.redaction.redacted(stored.interaction).0
      let key = isAlike ? stored.key : try matcher.key(for: interaction)
      if items[key] == nil, groups[key] == nil { order.append(key) }
      groups[key, default: []].append(Item(stored: stored, interaction: interaction, source: source))
    }
    for (key, group) in groups { items[key] = union(items[key] ?? [], group) }
    conflicts.sort { ($0.fileName, $0.target) < ($1.fileName, $1.target) }
  }

  private mutating func union(_ old: [Item], _ new: [Item]) -> [Item] {
    guard let first = old.first else { return new }
    var unmatched = old
    let rest = new.filter { item in
      guard let index = unmatched.firstIndex(where: { Self.areEqual($0, item) }) else {
        return true
      }
      unmatched.remove(at: index)
      return false
    }
    equalCount += new.count - rest.count
    // Where one is the beginning of the other, the two do not contradict each other.
    let isContinuation = unmatched.isEmpty && zip(old, new).allSatisfy { Self.areEqual($0, $1) }
    guard !rest.isEmpty else { return old }
    if !isContinuation {
      let request = first.stored.interaction.request
      conflicts.append(
        Conflict(
          method: request.method.rawValue, target: request.targetText, fileName: first.stored.fileName))
    }
    switch preference {
    case .both: return old + rest
    case .first: return isContinuation ? old + rest : old
    case .last: return isContinuation ? old + rest : new
    }
  }

  private static func areEqual(_ left: Item, _ right: Item) -> Bool {
    InteractionComparison.differences(left.interaction, right.interaction).isEmpty
  }
}

// MARK: - Writing

extension CassetteMerge {
  /// Writes the result: into the first cassette, or into a new one that takes the rules of the first.
  /// - Parameters:
  ///   - path: of the first cassette, or of one that does not exist.
  ///   - onStep: called after each interaction with how many are done, of how many.
  package func write(
    into path: String, onStep: (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws(CassetteError) -> SealReport {
    if ForeignFile.isMeant(by: path) { throw .notOurs(path: path) }
    let isInPlace = path == cassettes[0].path
    // What stays as it is need not be touched.
    let written = order.compactMap { items[$0] }.filter { group in
      !isInPlace || group.contains { $0.source != 0 }
    }.flatMap { $0 }
    guard !written.isEmpty else { return SealReport() }
    let made = isInPlace ? nil : try NewCassette(path, like: cassettes[0])
    do throws(CassetteError) {
      return try write(written, into: path, onStep: onStep)
    } catch {
      made?.remove()
      throw error
    }
  }

  private func write(
    _ written: [Item], into path: String, onStep: (_ done: Int, _ total: Int) -> Void
  ) throws(CassetteError) -> SealReport {
    let recorder = try CassetteRecorder.open(path, upstream: cassettes[0].upstream, replacing: true)
    do throws(CassetteError) {
      // Another tool's file is no directory.
      let sources = cassettes.map { try? CassetteDirectory(opening: $0.path) }
      for (index, item) in written.enumerated() {
        try recorder.record(item.stored, from: sources[item.source], arrival: recorder.nextArrival())
        onStep(index + 1, written.count)
      }
      return try recorder.seal()
    } catch {
      recorder.stop()
      _ = try? recorder.seal()
      throw error
    }
  }
}

/// A cassette without interactions, with the manifest of another.
private struct NewCassette {
  private let directory: CassetteDirectory
  private let made: [String]

  init(_ path: String, like model: Cassette) throws(CassetteError) {
    (directory, made) = try CassetteDirectory.create(path)
    do throws(CassetteError) {
      guard try directory.names().isEmpty else {
        throw CassetteError.refused(
          path: path,
          reason: "there is something already; merge into a new cassette, or into the first of those named")
      }
      try directory.createFile(CassetteNames.manifest, contents: Self.manifest(model).fileBytes)
    } catch {
      CassetteDirectory.removeMade(made)
      throw error
    }
  }

  private static func manifest(_ model: Cassette) throws(CassetteError) -> CassetteManifest {
    var manifest = CassetteManifest(upstream: model.upstream)
    if !ForeignFile.isThere(model.path) {
      let written = try CassetteReader(CassetteDirectory(opening: model.path)).manifest()
      manifest.formatVersion = written?.formatVersion ?? 1
      manifest.others = written?.others ?? []
    }
    manifest.rules = model.matcher.rules
    manifest.redaction = model.matcher.redaction
    manifest.rewriting = model.recordedRewriting
    return manifest
  }

  /// Removes what was made, as far as it holds nothing else.
  func remove() {
    try? directory.remove(CassetteNames.manifest)
    CassetteDirectory.removeMade(made)
  }
}

extension CassetteRecorder {
  /// Records what another cassette has recorded, with whatever members of their own people wrote into its file.
  /// - Parameter source: the folder of the other cassette.
  fileprivate func record(
    _ stored: StoredInteraction, from source: CassetteDirectory?, arrival: Int
  ) throws(CassetteError) {
    // What holds a secret is written anew, without it.
    guard let source, let tree = try source.tree(of: stored),
      matcher.redaction.redacted(stored.interaction).count == 0
    else {
      try record(stored.interaction, arrival: arrival)
      return
    }
    for name in InteractionFormat.bodyNames(tree) { try copyBody(name, from: source) }
    try record(stored.interaction, tree: tree, arrival: arrival)
  }

  private func copyBody(_ name: String, from source: CassetteDirectory) throws(CassetteError) {
    let file = try source.openBody(name)
    let reader = BodyFileReader(file, name: name, size: try file.status().size)
    let (spooled, spoolName) = try createSpoolFile()
    let digest = SHA256Stream()
    do throws(CassetteError) {
      var offset = 0
      while offset < reader.size {
        let piece = try reader.bytes(at: offset, count: 1 << 18)
        guard !piece.isEmpty else { break }
        try spooled.write(piece)
        piece.withUnsafeBytes(digest.update)
        offset += piece.count
      }
      _ = try adopt(spooled, spoolName, digest: digest.finish(), size: offset)
    } catch {
      removeSpoolFile(spoolName)
      throw error
    }
  }
}

extension CassetteDirectory {
  /// The content of an interaction's file; nil where no file holds what was loaded, as with an unsealed journal.
  fileprivate func tree(of stored: StoredInteraction) throws(CassetteError) -> JSONValue? {
    guard let bytes = try contents(of: stored.fileName, limit: CassetteLimits.fileBytes),
      let tree = try? JSONValue(parsing: bytes),
      let read = try? InteractionFormat.decode(
        tree, in: stored.fileName, loader: BodyLoader(directory: self)),
      read == stored.interaction
    else { return nil }
    return tree
  }
}
