public import TapedeckHTTP
import TapedeckRedaction

/// A recorded session, loaded whole and checked, to be given again. Nothing here ever opens a file for writing.
public final class Cassette: Sendable {
  /// The directory, as given to `load`.
  public let path: String
  /// What `cassette.json` says; `nil` where there is none.
  package let manifest: CassetteManifest?
  /// The origin that was recorded.
  public let upstream: String?
  /// By what requests are compared now.
  public let matcher: RequestMatcher
  /// What the cassette itself says about that.
  public let recordedRules: MatchRules
  /// What the cassette says is rewritten for clients.
  public let recordedRewriting: RewriteRules
  /// Every recorded exchange, in the order of the file names and their numbers.
  public let answers: [StoredInteraction]
  /// Warnings about entries of a left-over journal that were skipped, each with file and line.
  public let warnings: [String]
  private let sequences: SequenceTable
  /// By the key of the plain variant, where that was not recorded.
  private let substitutes: SequenceTable
  private let links: SecretLinks

  package init(
    path: String, manifest: CassetteManifest? = nil, upstream: String?, matcher: RequestMatcher,
    recordedRules: MatchRules, recordedRewriting: RewriteRules? = nil,
    answers: [StoredInteraction], warnings: [String]
  ) {
    self.path = path
    self.manifest = manifest
    self.upstream = upstream
    self.matcher = matcher
    self.recordedRules = recordedRules
    self.recordedRewriting = recordedRewriting ?? manifest?.rewriting ?? RewriteRules()
    self.answers = Self.listed(answers)
    self.warnings = warnings
    links = SecretLinks { answers.map(\.recorded.request) }
    var groups: [MatchKey: [StoredInteraction]] = Dictionary(minimumCapacity: answers.count)
    for answer in answers { groups[answer.key, default: []].append(answer) }
    let redaction = matcher.redaction
    let ordered = groups.mapValues(Self.ordered)
    sequences = SequenceTable(
      ordered.mapValues { answers in
        let fitting = VariantSelection.fitting(answers)
        return InteractionSequence(fitting, clients: ClientGroups(fitting, redaction))
      })
    substitutes = SequenceTable(
      VariantSelection.substitutes(in: ordered).mapValues { answers in
        let answers = Self.ordered(answers)
        return InteractionSequence(answers, clients: ClientGroups(answers, redaction))
      })
  }

  /// Sorted by name, and the responses to one request by their number: `.2` after the first, `.10` after `.9`.
  private static func listed(_ answers: [StoredInteraction]) -> [StoredInteraction] {
    guard answers.contains(where: { $0.ordinal > 1 }) else { return answers }
    let names = answers.map { CassetteNames.parse($0.fileName) }
    return answers.indices.sorted { left, right in
      names[left].stem == names[right].stem
        ? names[left].ordinal < names[right].ordinal
        : names[left].stem.utf8.lexicographicallyPrecedes(names[right].stem.utf8)
    }.map { answers[$0] }
  }

  /// The responses to each request in order, those that are never replayed included.
  package var recordedOrder: [MatchKey: [StoredInteraction]] {
    Dictionary(grouping: answers, by: \.key).mapValues(Self.ordered)
  }

  /// By the ordinal in the name. Where rules have made one of what was recorded as several requests, so that ordinals
  /// stand twice, these follow each other as they were recorded, and else by name.
  private static func ordered(_ answers: [StoredInteraction]) -> [StoredInteraction] {
    guard answers.count > 1 else { return answers }
    let names = answers.map { CassetteNames.parse($0.fileName) }
    let isNumbered = Set(names.map(\.ordinal)).count == names.count
    guard !isNumbered, names.contains(where: { $0.stem != names[0].stem }) else {
      return answers.indices.sorted { (names[$0].ordinal, $0) < (names[$1].ordinal, $1) }.map { answers[$0] }
    }
    var recordedAt: [String: Int] = [:]
    for (name, answer) in zip(names, answers) {
      let time = answer.recordedAtMicroseconds ?? .max
      recordedAt[name.stem] = min(recordedAt[name.stem] ?? .max, time)
    }
    return answers.indices.sorted { left, right in
      let (old, new) = (names[left], names[right])
      if old.stem == new.stem { return (old.ordinal, left) < (new.ordinal, right) }
      let times = (recordedAt[old.stem] ?? .max, recordedAt[new.stem] ?? .max)
      return times.0 == times.1 ? old.stem < new.stem : times.0 < times.1
    }.map { answers[$0] }
  }

  /// How many exchanges are recorded.
  public var count: Int { answers.count }

  /// The responses recorded for a key.
  public func sequence(for key: MatchKey) -> InteractionSequence? { sequences.sequence(for: key.bytes) }

  /// The responses to a request with a secret that the recording hides and nothing in the request gives away.
  /// Looks at every word of the request, so it is for misses only.
  public func linkedSequence(for request: HTTPRequest) -> InteractionSequence? {
    guard !links.isEmpty else { return nil }
    let comparable = matcher.redaction.redacted(request)
    return links.linked(comparable, matcher.redaction).flatMap { sequence(for: $0) }
  }

  /// The responses recorded for a request.
  public func sequence(for request: HTTPRequest) -> InteractionSequence? {
    var key = KeyWriter()
    return sequence(for: request, using: &key)
  }

  /// The same, with a writer that is used again.
  package func sequence(for request: HTTPRequest, using key: inout KeyWriter) -> InteractionSequence? {
    matcher.write(request, to: &key)
    return sequences.sequence(for: key.bytes) ?? sequenceWithoutOperation(for: request)
  }

  /// The responses that were recorded without the field that names the operation: files of other tools and those
  /// written by hand often leave it out. This is for a miss only.
  private func sequenceWithoutOperation(for request: HTTPRequest) -> InteractionSequence? {
    guard RequestVariant(request.fields).has(.operation) else { return nil }
    var request = request
    for name in RequestVariant.operationNames { request.fields.removeAll(name) }
    return sequence(for: matcher.key(for: request))
  }

  /// The responses that may stand in where a variant was not recorded: of a GET or HEAD those that are right whatever
  /// range or condition is asked for.
  public func substitute(for request: HTTPRequest) -> InteractionSequence? {
    guard VariantSelection.isRead(request) else { return nil }
    let key = matcher.key(for: request).plain
    if let plain = sequences.sequence(for: key.bytes), plain.isFull { return plain }
    return substitutes.sequence(for: key.bytes)
  }

  /// Begins anew with the first response to every request. Cursors of sessions stay where they are.
  public func rewind() {
    for sequence in sequences.all { sequence.rewind() }
    for sequence in substitutes.all { sequence.rewind() }
  }

  /// How often each exchange was given since the cassette was loaded, in the order of `answers`.
  public func uses(onExhausted policy: ExhaustionPolicy = .repeatLast) -> [Int] {
    var uses: [ObjectIdentifier: Int] = [:]
    for sequence in Array(sequences.all) + Array(substitutes.all) {
      for (answer, count) in zip(sequence.answers, sequence.uses(onExhausted: policy)) where count > 0 {
        uses[ObjectIdentifier(answer), default: 0] += count
      }
    }
    return answers.map { uses[ObjectIdentifier($0)] ?? 0 }
  }

  /// The exchanges that were not given since the cassette was loaded, in the order of the file names.
  public var unused: [StoredInteraction] {
    zip(answers, uses()).filter { $0.1 == 0 }.map(\.0)
  }

  /// The recordings most like a request that matches none, nearest first, with what differs. This looks at all of
  /// them, so it is for a miss only.
  public func nearest(to request: HTTPRequest, limit: Int = 3) -> [NearMiss] {
    nearest(toRedacted: matcher.redaction.redacted(request), limit: limit)
  }

  /// The same for a request that has no secrets any more.
  public func nearest(toRedacted request: HTTPRequest, limit: Int) -> [NearMiss] {
    RequestComparison(request, rules: matcher.rules).nearest(in: answers, limit: limit)
  }
}
