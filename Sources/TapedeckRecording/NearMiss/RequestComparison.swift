public import TapedeckHTTP
import TapedeckRedaction

/// A recorded interaction that a request nearly matches, and what keeps it from matching.
public struct NearMiss: Sendable {
  public let interaction: StoredInteraction
  /// In the order host, method, path, query, headers, body; none where all responses to a matching request have been
  /// given.
  public let differences: [RequestDifference]
  /// How far it is from the request; only good for comparing.
  public let distance: Int
}

/// Compares a request with recorded ones, part by part, as rules say; finds the nearest by a scan.
///
/// Head and query are compared with every recording, which is cheap; bodies only with the few that are left.
struct RequestComparison {
  private let request: HTTPRequest
  private let rules: MatchRules
  private let query: [FormPairs.Pair]
  private let path: ArraySlice<UInt8>
  private let variant: RequestVariant

  /// How many candidates have their bodies compared, and how many bytes of those at most.
  private static let shortlist = 512
  private static let maximumComparedBytes = 4 * 1024 * 1024

  init(_ request: HTTPRequest, rules: MatchRules) {
    self.request = request
    self.rules = rules
    query = request.comparedQuery(rules)
    path = ComparedPath.normalized(request.path)
    variant = RequestVariant(request.fields)
  }

  func nearest(in interactions: [StoredInteraction], limit: Int) -> [NearMiss] {
    let byHead = interactions.enumerated()
      .map { (offset: $0.offset, interaction: $0.element, distance: headDistance($0.element)) }
      .sorted { ($0.distance, $0.offset) < ($1.distance, $1.offset) }
    var misses: [NearMiss] = []
    var comparedBytes = 0
    var best: [Int] = []
    for candidate in byHead.prefix(max(Self.shortlist, limit)) {
      // A body only adds to the distance: what is no nearer by its head is not nearer, nor are those behind it.
      if best.count == limit, let worst = best.last, candidate.distance >= worst { break }
      comparedBytes += candidate.interaction.recorded.request.body.count + request.body.count
      if misses.count >= limit, comparedBytes > Self.maximumComparedBytes { break }
      let miss = nearMiss(candidate.interaction, headDistance: candidate.distance)
      misses.append(miss)
      best = Array((best + [miss.distance]).sorted().prefix(limit))
    }
    return misses.enumerated()
      .sorted { ($0.element.distance, $0.offset) < ($1.element.distance, $1.offset) }
      .prefix(limit).map(\.element)
  }

  private func headDistance(_ interaction: StoredInteraction) -> Int {
    let recorded = interaction.recorded.request
    var distance = 0
    if rules.parts.contains(.method), recorded.method != request.method { distance += RequestDistance.method }
    if rules.parts.contains(.path) {
      distance += RequestDistance.path(ComparedPath.normalized(recorded.path), path)
    }
    if rules.parts.contains(.query), recorded.query != nil || !query.isEmpty {
      distance += RequestDistance.sum(queryDifferences(recorded), each: RequestDistance.query)
    }
    if !rules.headers.isEmpty || !variant.fields.isEmpty || recorded.fields.mayNameVariant {
      distance += RequestDistance.sum(headerDifferences(recorded), each: RequestDistance.header)
    }
    return distance + (hostDifference(recorded) == nil ? 0 : RequestDistance.host)
  }

  private func nearMiss(_ interaction: StoredInteraction, headDistance: Int) -> NearMiss {
    let bodies = bodies(interaction.recorded)
    return NearMiss(
      interaction: interaction, differences: differences(interaction.recorded, bodies: bodies),
      distance: headDistance + (bodies?.distance ?? 0))
  }

  private func bodies(_ recorded: RecordedRequest) -> BodyComparison? {
    guard rules.parts.contains(.body) else { return nil }
    return BodyComparison(recorded: recorded, received: request, rules: rules)
  }

  /// The differences in the parts that the rules compare, in the order host, method, path, query, headers, body.
  func differences(from recorded: RecordedRequest) -> [RequestDifference] {
    differences(recorded, bodies: bodies(recorded))
  }

  private func differences(_ recorded: RecordedRequest, bodies: BodyComparison?) -> [RequestDifference] {
    let head = [hostDifference(recorded.request)].compactMap { $0 } + lineDifferences(recorded.request)
    let query = rules.parts.contains(.query) ? queryDifferences(recorded.request) : []
    return head + query + headerDifferences(recorded.request) + (bodies?.differences ?? [])
  }
}

// MARK: - Parts of the head

extension RequestComparison {
  private func lineDifferences(_ recorded: HTTPRequest) -> [RequestDifference] {
    var differences: [RequestDifference] = []
    if rules.parts.contains(.method), recorded.method != request.method {
      differences.append(
        RequestDifference(
          field: "method", recorded: recorded.method.rawValue, received: request.method.rawValue))
    }
    if rules.parts.contains(.path), !ComparedPath.normalized(recorded.path).elementsEqual(path) {
      differences.append(
        RequestDifference(
          field: "path", recorded: RequestDifference.excerpt(recorded.path),
          received: RequestDifference.excerpt(request.path)))
    }
    return differences
  }

  private func queryDifferences(_ recorded: HTTPRequest) -> [RequestDifference] {
    RequestDifference.differences(
      recorded: recorded.comparedQuery(rules), received: query, in: .query)
  }

  /// In the fields that the rules name, and in those that make the variant.
  private func headerDifferences(_ recorded: HTTPRequest) -> [RequestDifference] {
    (ruledDifferences(recorded) + variantDifferences(recorded)).sorted { $0.field < $1.field }
  }

  private func variantDifferences(_ recorded: HTTPRequest) -> [RequestDifference] {
    let old = RequestVariant(recorded.fields).fields
    let names = Set((old + variant.fields).map(\.name))
    return names.compactMap { name in
      let values = [old, variant.fields].map { fields in fields.first { $0.name == name }?.values }
      let text = String(decoding: name, as: UTF8.self)
      guard values[0] != values[1], !rules.headers.contains(text) else { return nil }
      var difference = RequestDifference(
        field: "header \(text)", recorded: values[0].flatMap { Self.text($0.map { $0[...] }) },
        received: values[1].flatMap { Self.text($0.map { $0[...] }) })
      difference.isVariant = true
      return difference
    }
  }

  private func ruledDifferences(_ recorded: HTTPRequest) -> [RequestDifference] {
    rules.headers.sorted().compactMap { name in
      let old = recorded.values(of: name)
      let new = request.values(of: name)
      guard old != new else { return nil }
      return RequestDifference(
        field: "header \(name)", recorded: Self.text(old), received: Self.text(new), comparedHeader: name)
    }
  }

  private static func text(_ values: [ArraySlice<UInt8>]) -> String? {
    values.isEmpty ? nil : values.map(RequestDifference.quoted).joined(separator: ", ")
  }

  private func hostDifference(_ recorded: HTTPRequest) -> RequestDifference? {
    guard rules.parts.contains(.host) else { return nil }
    let hosts = [recorded, request].map(\.comparedHost)
    guard hosts[0] != hosts[1] else { return nil }
    return RequestDifference(
      field: "host", recorded: RequestDifference.excerpt(hosts[0]),
      received: RequestDifference.excerpt(hosts[1]))
  }
}

extension RequestMatcher {
  /// How a request differs from the recorded one that has its key: in names of the query, places in the body and
  /// whole parts that the rules leave out of the key. Header fields and the host never count: those that are compared
  /// are equal, and the others are new in every run.
  public func drift(of request: HTTPRequest, from recorded: RecordedRequest) -> [RequestDifference] {
    guard seesDrift else { return [] }
    let old = recorded.request
    if old.target == request.target, old.method == request.method, recorded.largeBody == nil,
      old.body == request.body
    {
      return []
    }
    return RequestComparison(redaction.comparable(request), rules: rules.complete).differences(from: recorded)
      .filter { $0.comparedHeader == nil && !$0.isVariant }
  }

  public func drift(of request: HTTPRequest, from recorded: Interaction) -> [RequestDifference] {
    drift(of: request, from: recorded.recordedRequest)
  }
}
