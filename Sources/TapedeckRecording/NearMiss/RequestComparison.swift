import TapedeckHTTP

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

  func nearest(in answers: [StoredInteraction], limit: Int) -> [NearMiss] {
    let byHead = answers.enumerated()
      .map { (offset: $0.offset, answer: $0.element, distance: headDistance($0.element)) }
      .sorted { ($0.distance, $0.offset) < ($1.distance, $1.offset) }
    var misses: [NearMiss] = []
    var comparedBytes = 0
    var best: [Int] = []
    for candidate in byHead.prefix(max(Self.shortlist, limit)) {
      // A body only adds to the distance: what is no nearer by its head is not nearer, nor are those behind it.
      if best.count == limit, let worst = best.last, candidate.distance >= worst { break }
      comparedBytes += candidate.answer.recorded.request.body.count + request.body.count
      if misses.count >= limit, comparedBytes > Self.maximumComparedBytes { break }
      let miss = nearMiss(candidate.answer, headDistance: candidate.distance)
      misses.append(miss)
      best = Array((best + [miss.distance]).sorted().prefix(limit))
    }
    return misses.enumerated()
      .sorted { ($0.element.distance, $0.offset) < ($1.element.distance, $1.offset) }
      .prefix(limit).map(\.element)
  }

  private func headDistance(_ answer: StoredInteraction) -> Int {
    let recorded = answer.recorded.request
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

  private func nearMiss(_ answer: StoredInteraction, headDistance: Int) -> NearMiss {
    let bodies = bodies(answer.recorded)
    return NearMiss(
      answer: answer, differences: differences(answer.recorded, bodies: bodies),
      distance: headDistance + (bodies?.distance ?? 0))
  }

  private func bodies(_ recorded: RecordedRequest) -> BodyComparison? {
    guard rules.parts.contains(.body) else { return nil }
    return BodyComparison(recorded: recorded, received: request, rules: rules)
  }

  /// What of the parts that the rules compare differs, in the order host, method, path, query, headers, body.
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
    PairsComparison.differences(
      recorded: recorded.comparedQuery(rules), received: query, kind: .query)
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
