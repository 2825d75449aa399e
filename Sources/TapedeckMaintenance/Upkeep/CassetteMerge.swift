import TapedeckFormats
import TapedeckHTTP
package import TapedeckRecording
import TapedeckRedaction

/// Merges cassettes: the result has the responses of all to each request, equal ones once.
package struct CassetteMerge: Sendable {
  /// Whose responses are kept if cassettes differ.
  package enum Preference: String, Sendable, CaseIterable {
    /// All, with those of the later cassette after those of the earlier one.
    case both
    case first
    case last
  }

  private struct Item {
    var stored: StoredInteraction
    /// Redacted by the rules of the first cassette; naming its origin if the result is of several.
    var interaction: Interaction
    var source: Int
  }

  private let preference: Preference
  private let cassettes: [Cassette]
  /// Of several origins, if one of the cassettes is; otherwise of one, that of the first.
  private let origins: CassetteOrigins
  /// How clients reach the origins of all, where there are several.
  private let upstreams: RecordedUpstreams?
  private let matcher: RequestMatcher
  private var order: [MatchKey] = []
  private var items: [MatchKey: [Item]] = [:]
  /// Requests with different responses, as the first interaction in the earlier cassette.
  package private(set) var conflicts: [StoredInteraction] = []
  /// The number of interactions that were equal in two cassettes.
  package private(set) var equalCount = 0
  package private(set) var warnings: [String] = []

  package var count: Int { items.values.reduce(0) { $0 + $1.count } }

  /// - Parameter cassettes: at least one.
  package init(_ cassettes: [Cassette], preferring preference: Preference) throws(CassetteError) {
    self.preference = preference
    self.cassettes = cassettes
    let first = cassettes[0]
    origins = cassettes.contains(where: \.hasSeveralOrigins) ? .several : first.recordedOrigins
    let joined = origins == .several ? JoinedUpstreams(cassettes) : nil
    upstreams = joined?.upstreams
    warnings = joined?.warnings ?? []
    matcher = RequestMatcher(
      first.matcher.rules, redaction: first.matcher.redaction, comparesOrigin: origins == .several)
    for (source, cassette) in cassettes.enumerated() {
      try check(cassette)
      try add(cassette, source: source)
    }
  }

  private mutating func check(_ cassette: Cassette) throws(CassetteError) {
    let first = cassettes[0]
    if let reason = Self.refusal(of: cassette, beside: first) {
      throw .refused(path: cassette.path, reason: reason)
    }
    if cassette.recordedRewriting != first.recordedRewriting {
      warnings.append(
        "\(cassette.path) rewrites \(cassette.recordedRewriting.text) for clients; the merged cassette rewrites "
          + "\(first.recordedRewriting.text), as \(first.path) does")
    }
    if origins != .several, let one = first.upstream, let other = cassette.upstream, one != other {
      warnings.append("\(cassette.path) was recorded from \(other), and \(first.path) from \(one)")
    }
  }

  private static func refusal(of cassette: Cassette, beside first: Cassette) -> String? {
    let (own, other) = (first.matcher, cassette.matcher)
    if own.rules != other.rules {
      return
        "it matches requests by other rules than \(first.path), so the two cannot tell which requests are "
        + "the same; record one of them again with the rules of the other (`match` in cassette.json)"
    }
    // Plain values can be redacted by the first cassette's rules; values redacted by other rules cannot be restored.
    let hidden = cassette.interactions.first { stored in
      let request = stored.interaction.request
      return own.redaction != other.redaction
        && (Placeholder.stands(in: request.target) || Placeholder.stands(in: request.body))
    }
    return hidden.map {
      "\($0.fileName) holds secrets that were redacted by other rules than those of \(first.path), so that no "
        + "request would match it; record it again with the rules of the other (`redaction` in cassette.json)"
    }
  }

  private mutating func add(_ cassette: Cassette, source: Int) throws(CassetteError) {
    let isAlike = cassette.matcher == matcher
    let keyed = try cassette.interactions.map { stored throws(CassetteError) -> (key: MatchKey, item: Item) in
      let interaction =
        isAlike
        ? stored.interaction : try named(matcher.redaction.redacted(stored.interaction).0, of: cassette)
      let key = isAlike ? stored.key : try matcher.key(for: interaction)
      return (key, Item(stored: stored, interaction: interaction, source: source))
    }
    for (key, group) in keyed.groupedInOrder(by: \.key) {
      if items[key] == nil { order.append(key) }
      items[key] = union(items[key] ?? [], group.map(\.item))
    }
    conflicts.sort {
      ($0.fileName, $0.recorded.request.targetText) < ($1.fileName, $1.recorded.request.targetText)
    }
  }

  /// The interaction as the result holds it. One of a cassette of one origin gets that origin, and the path prefix of its
  /// `upstream`.
  private func named(_ interaction: Interaction, of cassette: Cassette) throws(CassetteError) -> Interaction {
    guard origins == .several, !cassette.hasSeveralOrigins else { return interaction }
    let upstream = cassette.upstream ?? ""
    let start = upstream.firstRange(of: "://")?.upperBound ?? upstream.startIndex
    let slash = upstream[start...].firstIndex(of: "/") ?? upstream.endIndex
    guard let origin = HTTPOrigin(String(upstream[..<slash])) else {
      throw .refused(
        path: cassette.path,
        reason: "it does not say where it was recorded from, which a cassette of several origins needs; "
          + "set `upstream` in its cassette.json")
    }
    var named = interaction
    named.request.name(origin)
    named.request.target = Array(upstream[slash...].utf8) + named.request.target
    return named
  }

  private mutating func union(_ old: [Item], _ new: [Item]) -> [Item] {
    guard let first = old.first else { return new }
    var unmatched = old
    let rest = new.filter { item in
      let index = unmatched.firstIndex { Self.areEqual($0, item) }
      if let index { unmatched.remove(at: index) }
      return index == nil
    }
    equalCount += new.count - rest.count
    // If one is the beginning of the other, there is no conflict.
    let isContinuation = unmatched.isEmpty && zip(old, new).allSatisfy { Self.areEqual($0, $1) }
    guard !rest.isEmpty else { return old }
    if isContinuation { return old + rest }
    conflicts.append(first.stored)
    switch preference {
    case .both: return old + rest
    case .first: return old
    case .last: return new
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
  ///   - path: the path of the first cassette, or of one that does not exist.
  ///   - isEnded: asked before each interaction; once it is true, nothing is written.
  ///   - onStep: called after each interaction with the number done and the total.
  package func write(
    into path: String, until isEnded: () -> Bool = { false },
    onStep: (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws(CassetteError) -> SealReport {
    if ForeignFile.isMeant(by: path) { throw .notOurs(path: path) }
    let isInPlace = path == cassettes[0].path
    // Groups that come from the first cassette alone stay as they are.
    let written = order.compactMap { items[$0] }.filter { group in
      !isInPlace || group.contains { $0.source != 0 }
    }.flatMap { $0 }
    guard !written.isEmpty else { return SealReport() }
    if isInPlace { return try write(written, into: path, until: isEnded, onStep: onStep) }
    let (directory, made) = try CassetteDirectory.create(path)
    do throws(CassetteError) {
      guard try directory.names().isEmpty else {
        throw CassetteError.refused(
          path: path,
          reason: "it already exists; merge into a new cassette, or into the first of the given ones")
      }
      try directory.createFile(CassetteNames.manifest, contents: newManifest().fileBytes)
    } catch {
      CassetteDirectory.removeMade(made)
      throw error
    }
    do throws(CassetteError) {
      return try write(written, into: path, until: isEnded, onStep: onStep)
    } catch {
      try? directory.remove(CassetteNames.manifest)
      CassetteDirectory.removeMade(made)
      throw error
    }
  }

  /// The manifest of a cassette that takes the rules of the first one.
  private func newManifest() throws(CassetteError) -> CassetteManifest {
    let model = cassettes[0]
    var manifest = CassetteManifest(origins)
    if !model.isForeignFile {
      let written = try CassetteReader(CassetteDirectory(opening: model.path)).manifest()
      manifest.formatVersion = written?.formatVersion ?? 1
      manifest.others = written?.others ?? []
    }
    manifest.rules = matcher.rules
    manifest.redaction = matcher.redaction
    manifest.rewriting = model.recordedRewriting
    manifest.upstreams = upstreams
    return manifest
  }

  private static let interrupted = "the merge was interrupted; nothing was written, and nothing is lost"

  private func write(
    _ written: [Item], into path: String, until isEnded: () -> Bool,
    onStep: (_ done: Int, _ total: Int) -> Void
  ) throws(CassetteError) -> SealReport {
    let recorder = try CassetteRecorder.open(path, origins: origins, replacing: true, upstreams: upstreams)
    do throws(CassetteError) {
      // Another tool's file is no directory.
      let sources = cassettes.map { try? CassetteDirectory(opening: $0.path) }
      for (index, item) in written.enumerated() {
        guard !isEnded() else { throw CassetteError.refused(path: path, reason: Self.interrupted) }
        try recorder.record(
          item.stored, as: item.interaction, from: sources[item.source], arrival: recorder.nextArrival())
        onStep(index + 1, written.count)
      }
      return try recorder.seal()
    } catch {
      recorder.stop()
      if isEnded() { recorder.discard() } else { _ = try? recorder.seal() }
      throw error
    }
  }
}

extension CassetteRecorder {
  /// Records an interaction of another cassette, with the custom members in its file.
  /// - Parameters:
  ///   - new: the interaction as this cassette holds it.
  ///   - source: the folder of the other cassette.
  fileprivate func record(
    _ stored: StoredInteraction, as new: Interaction, from source: CassetteDirectory?, arrival: Int
  ) throws(CassetteError) {
    let isNamed = new.origin != stored.interaction.origin
    var interaction = isNamed ? new : stored.interaction
    // An interaction with a secret is written again without it.
    guard let source, var tree = try source.tree(of: stored),
      matcher.redaction.redacted(stored.interaction).count == 0
    else {
      try record(interaction, arrival: arrival)
      return
    }
    for name in InteractionFormat.bodyNames(tree) { try copyBody(name, from: source) }
    if isNamed {
      let encoded = try InteractionFormat.encode(interaction) { body throws(CassetteError) in
        try BodyFile.store(body, in: try CassetteDirectory(opening: path))
      }
      tree = encoded.keepingFreeMembers(of: tree)
    }
    _ = try add(redacting: &interaction, tree: tree, arrival: arrival)
  }

  private func copyBody(_ name: String, from source: CassetteDirectory) throws(CassetteError) {
    let file = try source.openBody(name)
    let reader = BodyFileReader(file, name: name, size: try file.status().size)
    let (spooled, spoolName) = try createSpoolFile()
    let digest = SHA256Stream()
    do throws(CassetteError) {
      try reader.eachPiece { piece throws(CassetteError) in
        try spooled.write(piece)
        piece.withUnsafeBytes(digest.update)
      }
      _ = try adopt(spooled, spoolName, digest: digest.finish(), size: reader.size)
    } catch {
      removeSpoolFile(spoolName)
      throw error
    }
  }
}

extension CassetteDirectory {
  /// The content of an interaction's file; `nil` if it has none, such as one from an unsealed journal.
  fileprivate func tree(of stored: StoredInteraction) throws(CassetteError) -> JSONValue? {
    guard let bytes = try contents(of: stored.fileName, limit: CassetteLimits.fileBytes),
      let (tree, interaction) = try? decoded(bytes, of: stored.fileName), interaction == stored.interaction
    else { return nil }
    return tree
  }
}
