import TapedeckHTTP

/// Finds the recordings nearest to a request, by a scan.
///
/// Head and query are compared with every recording, which is cheap; bodies only with the few that are left. The path
/// weighs most, then the method, the query and the body, since that is the order in which clients are wrong.
struct RequestComparison {
  private let request: HTTPRequest
  private let segments: [ArraySlice<UInt8>]
  private let query: [FormPairs.Pair]

  private static let methodWeight = 40
  private static let segmentWeight = 60
  private static let queryWeight = 8
  private static let bodyWeight = 4
  /// No kind of difference counts for more than this, however many there are of it.
  private static let maximumListed = 8
  /// How many candidates have their bodies compared, and how many bytes of those at most.
  private static let shortlist = 512
  private static let maximumComparedBytes = 4 * 1024 * 1024

  init(_ request: HTTPRequest) {
    self.request = request
    segments = Self.segments(request)
    query = Self.query(request)
  }

  private static func segments(_ request: HTTPRequest) -> [ArraySlice<UInt8>] {
    request.path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
  }

  private static func query(_ request: HTTPRequest) -> [FormPairs.Pair] {
    request.query.map { FormPairs($0).sorted } ?? []
  }

  func nearest(in answers: [RecordedAnswer], limit: Int) -> [NearMiss] {
    let byHead = answers.enumerated()
      .map { (offset: $0.offset, answer: $0.element, distance: headDistance($0.element)) }
      .sorted { ($0.distance, $0.offset) < ($1.distance, $1.offset) }
    var misses: [NearMiss] = []
    var comparedBytes = 0
    for candidate in byHead.prefix(max(Self.shortlist, limit)) {
      comparedBytes += candidate.answer.interaction.request.body.count + request.body.count
      if misses.count >= limit, comparedBytes > Self.maximumComparedBytes { break }
      misses.append(nearMiss(candidate.answer, headDistance: candidate.distance))
    }
    return misses.enumerated()
      .sorted { ($0.element.distance, $0.offset) < ($1.element.distance, $1.offset) }
      .prefix(limit).map(\.element)
  }

  private func headDistance(_ answer: RecordedAnswer) -> Int {
    let recorded = answer.interaction.request
    var distance = recorded.method == request.method ? 0 : Self.methodWeight
    if !recorded.path.elementsEqual(request.path) { distance += pathDistance(recorded) }
    if recorded.query != nil || !query.isEmpty {
      distance += Self.queryWeight * min(queryDifferences(recorded).count, Self.maximumListed)
    }
    return distance
  }

  /// Weighs the segments that are not the same from the start or from the end on, and less where the first of them
  /// begins alike.
  private func pathDistance(_ recorded: HTTPRequest) -> Int {
    let others = Self.segments(recorded)
    let shorter = min(segments.count, others.count)
    let head = (0..<shorter).prefix { segments[$0] == others[$0] }.count
    let tail = (0..<(shorter - head)).prefix {
      segments[segments.count - 1 - $0] == others[others.count - 1 - $0]
    }.count
    let different = max(segments.count, others.count) - (head + tail)
    guard head < shorter else { return Self.segmentWeight * different + 1 }
    let alike = zip(segments[head], others[head]).prefix { $0 == $1 }.count
    return Self.segmentWeight * different + 1 - min(alike, Self.segmentWeight / 2)
  }

  private func nearMiss(_ answer: RecordedAnswer, headDistance: Int) -> NearMiss {
    let recorded = answer.interaction.request
    let bodyDifferences = BodyComparison.differences(recorded: answer.interaction, received: request)
    return NearMiss(
      answer: answer, differences: headDifferences(recorded) + bodyDifferences,
      distance: headDistance + Self.bodyWeight * min(bodyDifferences.count, Self.maximumListed))
  }

  private func headDifferences(_ recorded: HTTPRequest) -> [RequestDifference] {
    var differences: [RequestDifference] = []
    if recorded.method != request.method {
      differences.append(
        RequestDifference(
          field: "method", recorded: recorded.method.rawValue, received: request.method.rawValue))
    }
    if !recorded.path.elementsEqual(request.path) {
      differences.append(
        RequestDifference(
          field: "path", recorded: RequestDifference.excerpt(recorded.path),
          received: RequestDifference.excerpt(request.path)))
    }
    return differences + queryDifferences(recorded)
  }

  private func queryDifferences(_ recorded: HTTPRequest) -> [RequestDifference] {
    PairsComparison.differences(recorded: Self.query(recorded), received: query, kind: "query")
  }
}
