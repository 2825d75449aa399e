public import TapedeckHTTP

/// A recorded session, loaded whole and checked, to be given again. Nothing here ever opens a file for writing.
public final class Cassette: Sendable {
  /// The directory, as given to `load`.
  public let path: String
  /// The origin that was recorded.
  public let upstream: String?
  public let matcher: RequestMatcher
  /// Every recorded exchange, in the order of the file names and their numbers.
  public let answers: [RecordedAnswer]
  /// What was left out of a left-over journal, each with file and line.
  public let warnings: [String]
  private let sequences: [MatchKey: RecordedSequence]

  init(path: String, manifest: CassetteManifest?, answers: [RecordedAnswer], warnings: [String]) {
    self.path = path
    upstream = manifest?.upstream
    matcher = manifest?.matcher ?? RequestMatcher()
    self.answers = Self.listed(answers)
    self.warnings = warnings
    sequences = Dictionary(grouping: answers, by: \.key).mapValues { RecordedSequence(Self.ordered($0)) }
  }

  /// By name, the answers to one request by their number: `.2` stands behind the first, and `.10` behind `.9`.
  private static func listed(_ answers: [RecordedAnswer]) -> [RecordedAnswer] {
    let names = answers.map { CassetteNames.parse($0.fileName) }
    guard names.contains(where: { $0.ordinal > 1 }) else { return answers }
    return answers.indices.sorted { left, right in
      names[left].stem == names[right].stem
        ? names[left].ordinal < names[right].ordinal
        : names[left].stem.utf8.lexicographicallyPrecedes(names[right].stem.utf8)
    }.map { answers[$0] }
  }

  /// By the ordinal in the name; among equals, by the name.
  private static func ordered(_ answers: [RecordedAnswer]) -> [RecordedAnswer] {
    guard answers.count > 1 else { return answers }
    return answers.map { (CassetteNames.parse($0.fileName).ordinal, $0) }.enumerated()
      .sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }.map(\.element.1)
  }

  /// How many exchanges are recorded.
  public var count: Int { answers.count }

  /// The answers recorded for a key.
  public func sequence(for key: MatchKey) -> RecordedSequence? { sequences[key] }

  /// The answers recorded for a request.
  public func sequence(for request: HTTPRequest) -> RecordedSequence? { sequences[matcher.key(for: request)] }

  /// The exchanges that were not given since the cassette was loaded, in the order of the file names.
  public var unused: [RecordedAnswer] {
    let unused = Set(sequences.values.flatMap { $0.unused.map(ObjectIdentifier.init) })
    return answers.filter { unused.contains(ObjectIdentifier($0)) }
  }

  /// The recordings most like a request that matches none, nearest first, with what differs. This looks at all of
  /// them, so it is for a miss only.
  public func nearest(to request: HTTPRequest, limit: Int = 3) -> [NearMiss] {
    RequestComparison(request).nearest(in: answers, limit: limit)
  }
}
