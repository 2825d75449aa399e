internal import Synchronization
public import TapedeckHTTP
import TapedeckRedaction

/// A loaded and checked recording for replay. It never opens a file for writing.
public final class Cassette: Sendable {
  public let path: String
  /// The content of `cassette.json`; `nil` when there is none.
  package let manifest: CassetteManifest?
  /// The only origin, which may have a path prefix; `nil` if there are several, or none is known.
  public let upstream: String?
  /// The origins of the interactions, sorted, such as `https://api.example.com`; with one, `upstream`.
  public let origins: [String]
  /// Compares requests by the rules in force.
  public let matcher: RequestMatcher
  public let recordedRules: MatchRules
  public let recordedRewriting: RewriteRules
  /// How clients reach the origins if these are several; `nil` for other tools' recordings and for one origin.
  public let upstreams: RecordedUpstreams?
  /// All interactions, sorted by file name and number.
  public let interactions: [StoredInteraction]
  /// Warnings about skipped entries of a left-over journal, each with file and line.
  public let warnings: [String]
  /// Names this cassette among all that the process has loaded.
  let number = Cassette.numbers.add(1, ordering: .relaxed).newValue
  private static let numbers = Atomic<Int>(0)
  private let sequences: SequenceTable
  /// Keyed by the plain variant, where that was not recorded.
  private let substitutes: SequenceTable
  private let links: SecretLinks
  private let bodies: RecordedBodyIndex

  package init(
    path: String, manifest: CassetteManifest? = nil, upstream: String?, matcher: RequestMatcher,
    recordedRules: MatchRules, recordedRewriting: RewriteRules? = nil,
    upstreams: RecordedUpstreams? = nil,
    interactions: [StoredInteraction], warnings: [String]
  ) {
    self.path = path
    self.manifest = manifest
    self.upstream = upstream
    origins = matcher.comparesOrigin ? Self.origins(of: interactions) : upstream.map { [$0] } ?? []
    self.matcher = matcher
    self.recordedRules = recordedRules
    self.recordedRewriting = recordedRewriting ?? manifest?.rewriting ?? RewriteRules()
    self.upstreams = upstreams ?? manifest?.upstreams
    self.interactions = Self.listed(interactions)
    self.warnings = warnings
    links = SecretLinks { interactions.map(\.recorded.request) }
    var groups: [MatchKey: [StoredInteraction]] = Dictionary(minimumCapacity: interactions.count)
    for interaction in interactions { groups[interaction.key, default: []].append(interaction) }
    let redaction = matcher.redaction
    func sequence(_ interactions: [StoredInteraction]) -> InteractionSequence {
      InteractionSequence(interactions, clients: ClientGroups(interactions, redaction))
    }
    let ordered = groups.mapValues(Self.ordered)
    let sequences = SequenceTable(ordered.mapValues { sequence(Self.fitting($0)) })
    bodies = RecordedBodyIndex(self.interactions) { sequences.index(of: $0.bytes) }
    self.sequences = sequences
    substitutes = SequenceTable(
      Self.substitutes(in: ordered).mapValues { sequence(Self.ordered($0)) }, isPlain: true)
  }

  private static func origins(of interactions: [StoredInteraction]) -> [String] {
    Set(interactions.compactMap(\.recorded.request.origin)).map { "\($0)" }.sorted()
  }

  /// Whether each interaction names its own origin (cassette format version 2).
  public var hasSeveralOrigins: Bool { matcher.comparesOrigin }

  package var recordedOrigins: CassetteOrigins { hasSeveralOrigins ? .several : .one(upstream) }

  /// Sorted by name, and responses to one request by number: `.2` after the first, `.10` after `.9`.
  private static func listed(_ interactions: [StoredInteraction]) -> [StoredInteraction] {
    guard interactions.contains(where: { $0.ordinal > 1 }) else { return interactions }
    let names = interactions.map { CassetteNames.parse($0.fileName) }
    return interactions.indices.sorted { left, right in
      names[left].stem == names[right].stem
        ? names[left].ordinal < names[right].ordinal
        : names[left].stem.utf8.lexicographicallyPrecedes(names[right].stem.utf8)
    }.map { interactions[$0] }
  }

  package var recordedOrder: [MatchKey: [StoredInteraction]] {
    Dictionary(grouping: interactions, by: \.key).mapValues(Self.ordered)
  }

  /// Sorted by ordinal; requests that share a key only by the rules follow each other as recorded.
  private static func ordered(_ interactions: [StoredInteraction]) -> [StoredInteraction] {
    guard interactions.count > 1 else { return interactions }
    let names = interactions.map { CassetteNames.parse($0.fileName) }
    let isNumbered = Set(names.map(\.ordinal)).count == names.count
    guard !isNumbered, names.contains(where: { $0.stem != names[0].stem }) else {
      return interactions.indices.sorted { (names[$0].ordinal, $0) < (names[$1].ordinal, $1) }.map {
        interactions[$0]
      }
    }
    var recordedAt: [String: Int] = [:]
    for (name, interaction) in zip(names, interactions) {
      let time = interaction.recordedAtMicroseconds ?? .max
      recordedAt[name.stem] = min(recordedAt[name.stem] ?? .max, time)
    }
    return interactions.indices.sorted { left, right in
      let (old, new) = (names[left], names[right])
      if old.stem == new.stem { return (old.ordinal, left) < (new.ordinal, right) }
      let times = (recordedAt[old.stem] ?? .max, recordedAt[new.stem] ?? .max)
      return times.0 == times.1 ? old.stem < new.stem : times.0 < times.1
    }.map { interactions[$0] }
  }

  public var count: Int { interactions.count }

  public func sequence(for key: MatchKey) -> InteractionSequence? { sequences.sequence(for: key.bytes) }

  /// The responses to a request with a secret that only the recording reveals. Slow; for misses only.
  public func linkedSequence(for request: HTTPRequest) -> InteractionSequence? {
    guard !links.isEmpty else { return nil }
    let comparable = matcher.redaction.redacted(request)
    return links.linked(comparable, matcher.redaction).flatMap { sequence(for: $0) }
  }

  public func sequence(for request: HTTPRequest) -> InteractionSequence? {
    var key = KeyWriter()
    return index(of: request, using: &key).map(sequence(at:))
  }

  package func sequence(
    for request: HTTPRequest, using key: inout KeyWriter, _ cache: SequenceCache
  ) -> InteractionSequence? {
    guard SequenceCache.keeps(request, of: interactions.count) else {
      return index(of: request, using: &key).map(sequence(at:))
    }
    let known = cache.index(for: request, in: number) { self.sequence(at: $0) }
    if let known { return sequence(at: known) }
    guard let index = bodies.sequence(for: request, matcher) ?? index(of: request, using: &key) else {
      return nil
    }
    let sequence = sequence(at: index)
    cache.keep(index, for: request, in: number, recorded: sequence.first.requestBody)
    return sequence
  }

  /// - Parameter index: of `SequenceTable`.
  func sequence(at index: Int) -> InteractionSequence { sequences.sequence(at: index) }

  private func index(of request: HTTPRequest, using key: inout KeyWriter) -> Int? {
    matcher.write(request, to: &key)
    return sequences.index(of: key.bytes) ?? indexWithoutOperation(of: request)
  }

  /// The responses recorded without the field that names the operation; other tools often omit it.
  private func indexWithoutOperation(of request: HTTPRequest) -> Int? {
    guard RequestVariant(request.fields).has(.operation) else { return nil }
    var request = request
    request.fields.removeAll { HTTPFields.variantRole(of: $0.name) == .operation }
    return sequences.index(of: matcher.key(for: request).bytes)
  }

  /// Responses to a GET or HEAD that are right for any range or condition, when the variant was not recorded;
  /// none are right for a handshake.
  public func substitute(for request: HTTPRequest) -> InteractionSequence? {
    guard Self.isRead(request), !RequestVariant(request.fields).has(.webSocket) else { return nil }
    let key = matcher.key(for: request).plain
    if let plain = sequences.sequence(for: key.bytes), plain.isFull { return plain }
    return substitutes.sequence(for: key.bytes)
  }

  /// Starts again with the first response to every request. Session cursors do not change.
  public func rewind() {
    for sequence in sequences.all { sequence.rewind() }
    for sequence in substitutes.all { sequence.rewind() }
  }

  /// How often each interaction was replayed since loading, in the order of `interactions`.
  public func uses(onExhausted policy: ExhaustionPolicy = .repeatLast) -> [Int] {
    var uses: [ObjectIdentifier: Int] = [:]
    for sequence in Array(sequences.all) + Array(substitutes.all) {
      for (interaction, count) in zip(sequence.interactions, sequence.uses(onExhausted: policy))
      where count > 0 {
        uses[ObjectIdentifier(interaction), default: 0] += count
      }
    }
    return interactions.map { uses[ObjectIdentifier($0)] ?? 0 }
  }

  /// The interactions not replayed since loading, sorted by file name.
  public var unused: [StoredInteraction] {
    zip(interactions, uses()).filter { $0.1 == 0 }.map(\.0)
  }

  /// The recorded interactions nearest to a request that has none, nearest first. Slow; for misses only.
  public func nearest(to request: HTTPRequest, limit: Int = 3) -> [NearMiss] {
    nearest(toRedacted: matcher.redaction.redacted(request), limit: limit)
  }

  /// The nearest interactions to a request without secrets.
  public func nearest(toRedacted request: HTTPRequest, limit: Int) -> [NearMiss] {
    RequestComparison(request, rules: matcher.rules, comparesOrigin: hasSeveralOrigins)
      .nearest(in: interactions, limit: limit)
  }
}

// MARK: - Variants

extension Cassette {
  /// Drops a 206 to a request without `Range` and a 304 to one without an `If-…` field, if other responses
  /// remain. Files of other tools hold these because the browser added the field later.
  private static func fitting(_ interactions: [StoredInteraction]) -> [StoredInteraction] {
    guard interactions.count > 1, interactions.contains(where: { $0.status == 206 || $0.status == 304 })
    else {
      return interactions
    }
    let variant = RequestVariant(interactions[0].recorded.request.fields)
    let fitting = interactions.filter { !isRead($0.recorded.request) || variant.allows(status: $0.status) }
    return fitting.isEmpty ? interactions : fitting
  }

  /// Responses for any variant of a request, by plain key, where the plain variant was not recorded with one.
  private static func substitutes(
    in sequences: [MatchKey: [StoredInteraction]]
  ) -> [MatchKey: [StoredInteraction]] {
    var substitutes: [MatchKey: [StoredInteraction]] = [:]
    for (key, interactions) in sequences where !key.isPlain {
      let plain = key.plain
      if sequences[plain]?.contains(where: { RequestVariant.isFull(status: $0.status) }) ?? false { continue }
      let full = interactions.filter {
        isRead($0.recorded.request) && RequestVariant.isFull(status: $0.status)
      }
      if !full.isEmpty { substitutes[plain, default: []] += full }
    }
    // A dictionary's order differs in every process.
    return substitutes.mapValues { $0.sorted { $0.fileName < $1.fileName } }
  }

  private static func isRead(_ request: HTTPRequest) -> Bool {
    request.method == .get || request.method == .head
  }
}
