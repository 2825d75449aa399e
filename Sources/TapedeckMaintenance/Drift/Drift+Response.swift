import TapedeckHTTP
import TapedeckRecording

extension Drift {
  /// Compares the shape of today's response with that of every recorded response to the same request.
  static func all(from recorded: [RecordedResponse], to live: RecordedResponse) -> [Drift] {
    guard !recorded.isEmpty else { return [] }
    // Of several recorded responses, only those with today's status are compared: others, such as one that says "not
    // ready yet", may have another shape.
    let now = live.head.status
    let equal = recorded.filter { $0.head.status == now }
    if !equal.isEmpty { return partDrifts(equal, live) }
    // With an outdated validator, the origin sends the whole response; the API has not changed.
    if now == 200, recorded.contains(where: { $0.head.status == 304 }) { return [] }
    let alike = recorded.filter { $0.head.status / 100 == now / 100 }
    let statuses = Set(recorded.map(\.head.status)).sorted()
    let isBetter = now < 500 && statuses.allSatisfy { $0 >= 500 || $0 == 429 }
    let status = Drift(
      .statusChanged, alike.isEmpty && !isBetter ? .breaking : .notable, at: "status",
      recorded: statuses.map(String.init).joined(separator: " or "), live: "\(now)")
    return [status] + (alike.isEmpty ? [] : partDrifts(alike, live))
  }

  private static func partDrifts(_ recorded: [RecordedResponse], _ live: RecordedResponse) -> [Drift] {
    typeDrift(recorded, live) + presenceDrifts(recorded, live) + bodyDrifts(recorded, live)
      + webSocketDrifts(recorded.compactMap(\.webSocket), live.webSocket)
  }

  // MARK: Header fields

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

  /// Compares the names of fields, not their values.
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
    let known = recorded.map(content)
    let now = content(live)
    var shape = JSONShape()
    for case let value? in known.map(\.json) { shape.add(value) }
    if shape.count > 0 {
      if let value = now.json { return shape.drifts(to: JSONShape(value)) }
      return [Drift(.bodyChanged, .breaking, at: "body", recorded: "JSON", live: now.text)]
    }
    guard !known.contains(where: { $0.text == now.text }), let first = known.first else { return [] }
    return [Drift(.bodyChanged, .notable, at: "body", recorded: first.text, live: now.text)]
  }

  /// The kind of a body, with the value if it is JSON.
  private static func content(_ response: RecordedResponse) -> (text: String, json: JSONValue?) {
    let body = response.body.content(response.head.fields)
    guard body.count > 0 else { return ("empty", nil) }
    guard case .bytes(let bytes) = body, let value = try? JSONValue(parsing: bytes) else {
      return ("not JSON", nil)
    }
    return ("JSON", value)
  }
}
