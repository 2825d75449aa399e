import TapedeckHTTP
package import TapedeckRecording

/// How a response of the origin differs in shape from those that were recorded.
package enum ResponseDrift {
  /// - Parameters:
  ///   - recorded: every recorded response to one request; at least one.
  ///   - live: the response of today.
  package static func drifts(recorded: [RecordedResponse], live: RecordedResponse) -> [Drift] {
    guard !recorded.isEmpty else { return [] }
    // Of several recorded responses, only those with today's status count: one that says "not ready yet" has no fields
    // to lose.
    let now = live.head.status
    let equal = recorded.filter { $0.head.status == now }
    if !equal.isEmpty { return headerDrifts(equal, live) + bodyDrifts(equal, live) }
    // A validator that is no longer current gets the whole response; that is no change of the API.
    if now == 200, recorded.contains(where: { $0.head.status == 304 }) { return [] }
    let alike = recorded.filter { $0.head.status / 100 == now / 100 }
    let status = statusDrift(recorded, now, isSameClass: !alike.isEmpty)
    return alike.isEmpty ? [status] : [status] + headerDrifts(alike, live) + bodyDrifts(alike, live)
  }

  private static func statusDrift(_ recorded: [RecordedResponse], _ now: Int, isSameClass: Bool) -> Drift {
    let statuses = Set(recorded.map(\.head.status)).sorted()
    let isBetter = now < 500 && statuses.allSatisfy { $0 >= 500 || $0 == 429 }
    return Drift(
      .statusChanged, isSameClass || isBetter ? .notable : .breaking, at: "status",
      recorded: statuses.map(String.init).joined(separator: " or "), live: "\(now)")
  }

  // MARK: Header fields

  private static func headerDrifts(_ recorded: [RecordedResponse], _ live: RecordedResponse) -> [Drift] {
    typeDrift(recorded, live) + presenceDrifts(recorded, live)
  }

  private static func typeDrift(_ recorded: [RecordedResponse], _ live: RecordedResponse) -> [Drift] {
    let known = recorded.map { ContentType($0.head.fields) }
    let now = ContentType(live.head.fields)
    guard !known.contains(now), let first = known.first else { return [] }
    let isSameEssence = known.contains { $0.essence == now.essence }
    let isSameFamily = known.contains { $0.isJSON && now.isJSON }
    return [
      Drift(
        .contentTypeChanged, isSameEssence ? .info : isSameFamily ? .notable : .breaking,
        at: "header \"Content-Type\"", recorded: first.text, live: now.text)
    ]
  }

  /// Compares which fields there are, not their values.
  private static func presenceDrifts(_ recorded: [RecordedResponse], _ live: RecordedResponse) -> [Drift] {
    let known = recorded.map { names($0.head.fields) }
    let always = known.dropFirst().reduce(known[0]) { $0.intersection($1) }
    let ever = known.reduce(into: Set<String>()) { $0.formUnion($1) }
    let now = names(live.head.fields)
    let removed = always.subtracting(now).sorted().map { name in
      Drift(
        .headerRemoved, name == "location" ? .breaking : .info, at: "header \"\(name)\"", recorded: "there",
        live: nil)
    }
    let added = now.subtracting(ever).sorted().map {
      Drift(.headerAdded, .info, at: "header \"\($0)\"", recorded: nil, live: "there")
    }
    return removed + added
  }

  /// Fields that depend on the path a response took, not on the API.
  private static let incidental: Set<String> = [
    "date", "age", "content-length", "content-type", "connection", "keep-alive", "transfer-encoding", "via",
    "server", "expires", "etag", "last-modified", "set-cookie", "x-request-id", "x-cache", "x-cache-hits",
    "x-served-by", "x-timer", "cf-ray", "cf-cache-status", "alt-svc", "nel", "report-to", "server-timing",
    "trailer",
  ]

  private static func names(_ fields: HTTPFields) -> Set<String> {
    Set(fields.map { String(decoding: $0.name.map(ASCII.lowercased), as: UTF8.self) }).subtracting(incidental)
  }

  // MARK: Body

  private static func bodyDrifts(_ recorded: [RecordedResponse], _ live: RecordedResponse) -> [Drift] {
    let known = recorded.map { Content($0.body.content($0.head.fields)) }
    let now = Content(live.body.content(live.head.fields))
    var shape = JSONShape()
    for case .json(let value) in known { shape.add(value) }
    if shape.count > 0 {
      if case .json(let value) = now { return shape.drifts(to: JSONShape(value)) }
      return [Drift(.bodyChanged, .breaking, at: "body", recorded: "JSON", live: now.text)]
    }
    guard !known.contains(where: { $0.text == now.text }), let first = known.first else { return [] }
    return [Drift(.bodyChanged, .notable, at: "body", recorded: first.text, live: now.text)]
  }

  /// What kind of thing a body is.
  private enum Content {
    case empty, bytes
    case json(JSONValue)

    init(_ body: RecordedBody) {
      guard body.count > 0 else {
        self = .empty
        return
      }
      guard case .bytes(let bytes) = body, let value = try? JSONValue(parsing: bytes) else {
        self = .bytes
        return
      }
      self = .json(value)
    }

    var text: String {
      switch self {
      case .empty: "empty"
      case .bytes: "not JSON"
      case .json: "JSON"
      }
    }
  }
}
