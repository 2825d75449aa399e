public import TapedeckHTTP
import TapedeckRedaction

/// A recorded interaction that nearly matches a request, with the differences.
public struct NearMiss: Sendable {
  public let interaction: StoredInteraction
  /// In the order origin, host, method, path, query, headers, body; empty if a matching request is exhausted.
  public let differences: [RequestDifference]
  /// The distance from the request, only for comparison.
  public let distance: Int
}

/// Finds the nearest recorded requests by a scan of all heads and queries, and of a few candidates' bodies.
struct RequestComparison {
  private let request: HTTPRequest
  private let rules: MatchRules
  private let query: [FormPairs.Pair]
  private let path: ArraySlice<UInt8>
  private let paths: RequestDistance.Paths
  private let body: BodyComparison.Received
  private let variant: RequestVariant
  /// `nil` unless origins are compared.
  private let origin: HTTPOrigin?

  /// The limits for comparing bodies: candidates, and bytes.
  private static let shortlist = 512
  private static let maximumComparedBytes = 4 * 1024 * 1024

  init(_ request: HTTPRequest, rules: MatchRules, comparesOrigin: Bool = false) {
    self.request = request
    self.rules = rules
    origin = comparesOrigin ? request.origin : nil
    query = request.comparedQuery(rules)
    path = request.comparedPath
    paths = RequestDistance.Paths(path)
    body = BodyComparison.Received(request, rules)
    variant = RequestVariant(request.fields)
  }

  func nearest(in interactions: [StoredInteraction], limit: Int) -> [NearMiss] {
    let byHead = interactions.enumerated()
      .map { (distance: headDistance($0.element), offset: $0.offset) }
      .sorted { $0 < $1 }
    var misses: [NearMiss] = []
    var comparedBytes = 0
    var best: [Int] = []
    for candidate in byHead.prefix(max(Self.shortlist, limit)) {
      // A body only adds distance: if this head is not nearer, neither it nor any candidate after it can be.
      if best.count == limit, let worst = best.last, candidate.distance >= worst { break }
      let interaction = interactions[candidate.offset]
      comparedBytes += interaction.recorded.request.body.count + request.body.count
      if misses.count >= limit, comparedBytes > Self.maximumComparedBytes { break }
      let miss = nearMiss(interaction, headDistance: candidate.distance)
      misses.append(miss)
      best = Array((best + [miss.distance]).sorted().prefix(limit))
    }
    return misses.enumerated().sorted { ($0.element.distance, $0.offset) < ($1.element.distance, $1.offset) }
      .prefix(limit).map(\.element)
  }

  private func headDistance(_ interaction: StoredInteraction) -> Int {
    let recorded = interaction.recorded.request
    var distance = 0
    if rules.parts.contains(.method), recorded.method != request.method { distance += RequestDistance.method }
    if rules.parts.contains(.path) {
      distance += paths.distance(to: recorded.comparedPath)
    }
    if rules.parts.contains(.query), recorded.query != nil || !query.isEmpty {
      distance += RequestDistance.sum(queryDifferences(recorded), each: RequestDistance.query)
    }
    if !rules.headers.isEmpty || !variant.fields.isEmpty || recorded.fields.hasVariant {
      distance += RequestDistance.sum(headerDifferences(recorded), each: RequestDistance.header)
    }
    return distance + (hostDifference(recorded) == nil ? 0 : RequestDistance.host) + originDistance(recorded)
  }

  private func nearMiss(_ interaction: StoredInteraction, headDistance: Int) -> NearMiss {
    let bodies = bodies(interaction.recorded)
    return NearMiss(
      interaction: interaction,
      differences: headDifferences(interaction.recorded.request) + (bodies?.differences ?? []),
      distance: headDistance + (bodies?.distance ?? 0))
  }

  private func bodies(_ recorded: RecordedRequest) -> BodyComparison? {
    guard rules.parts.contains(.body) else { return nil }
    return BodyComparison(recorded: recorded, received: body, rules: rules)
  }

  func differences(from recorded: RecordedRequest) -> [RequestDifference] {
    headDifferences(recorded.request) + (bodies(recorded)?.differences ?? [])
  }
}

// MARK: - Parts of the head

extension RequestComparison {
  private func headDifferences(_ recorded: HTTPRequest) -> [RequestDifference] {
    var differences = [originDifference(recorded), hostDifference(recorded)].compactMap(\.self)
    if rules.parts.contains(.method), recorded.method != request.method {
      differences.append(
        RequestDifference(
          field: "method", recorded: recorded.method.rawValue, received: request.method.rawValue))
    }
    if rules.parts.contains(.path), !recorded.comparedPath.elementsEqual(path) {
      differences.append(
        RequestDifference(
          field: "path", recorded: RequestDifference.excerpt(recorded.path),
          received: RequestDifference.excerpt(request.path)))
    }
    if rules.parts.contains(.query) { differences += queryDifferences(recorded) }
    return differences + headerDifferences(recorded)
  }

  private func queryDifferences(_ recorded: HTTPRequest) -> [RequestDifference] {
    RequestDifference.differences(
      recorded: recorded.comparedQuery(rules), received: query, in: "query", of: "query")
  }

  /// The differences in the fields that the rules name and in those that make the variant.
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
      let texts = values.map { $0.flatMap { Self.text($0.map { $0[...] }) } }
      var difference = RequestDifference(field: "header \(text)", recorded: texts[0], received: texts[1])
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

  private func originDistance(_ recorded: HTTPRequest) -> Int {
    guard let origin, let other = recorded.origin, other != origin else { return 0 }
    return other.host == origin.host ? RequestDistance.port : RequestDistance.origin
  }

  private func originDifference(_ recorded: HTTPRequest) -> RequestDifference? {
    guard let origin, let other = recorded.origin, other != origin else { return nil }
    return RequestDifference(
      field: "origin", recorded: RequestDifference.excerpt("\(other)".utf8),
      received: RequestDifference.excerpt("\(origin)".utf8))
  }

  private func hostDifference(_ recorded: HTTPRequest) -> RequestDifference? {
    guard rules.parts.contains(.host), origin == nil else { return nil }
    let hosts = [recorded, request].map(\.comparedHost)
    guard hosts[0] != hosts[1] else { return nil }
    return RequestDifference(
      field: "host", recorded: RequestDifference.excerpt(hosts[0]),
      received: RequestDifference.excerpt(hosts[1]))
  }
}

extension RequestMatcher {
  /// The differences between a request and the recorded one with its key, in parts that the rules ignore.
  /// Header fields and host never count: compared ones are equal, others are new in every run.
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
}
