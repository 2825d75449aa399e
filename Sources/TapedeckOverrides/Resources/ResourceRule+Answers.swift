internal import TapedeckHTTP
internal import TapedeckMocking
internal import TapedeckResources

/// What a declaration says about answers that are not as REST usually has them.
extension ResourceDeclaration {
  mutating func readAnswers(_ reader: inout RuleReader) throws(OverrideProblem) {
    if var inner = try reader.object("envelope") {
      listEnvelope = try Self.envelope(&inner, "list", place: "items", known: Self.listPlaces)
      itemEnvelope = try Self.envelope(&inner, "item", place: "item", known: ["item"])
      try inner.finish()
    }
    if var inner = try reader.object("answers") {
      try Self.read(&inner, "create", into: &style.created)
      try Self.read(&inner, "update", into: &style.updated)
      try Self.read(&inner, "delete", into: &style.deleted)
      var missing = RESTStyle.Response(status: 404)
      try Self.read(&inner, "missing", into: &missing)
      if inner.has("missing") { style.missing = missing }
      try inner.finish()
    }
    enum Put: String, CaseIterable { case replace, merge }
    style.putMerges = try reader.choice("put", Put.self) == .merge
    try readPages(&reader)
  }

  private static func envelope(
    _ reader: inout RuleReader, _ name: String, place: String, known: Set<String>
  ) throws(OverrideProblem) -> JSONValue? {
    guard let value = reader.value(name) else { return nil }
    if let member = value.text {
      return .object([JSONMember(JSONString(member), JSONValue("{{\(place)}}"))])
    }
    guard value.members != nil else {
      throw reader.problem(name, "must be a member's name, or an object with \"{{\(place)}}\" in it")
    }
    let places = Envelope.names(in: value)
    guard places.contains(place) else {
      throw reader.problem(name, "must say with \"{{\(place)}}\" where \(place) go")
    }
    if let unknown = places.subtracting(known).sorted().first {
      let list = known.sorted().map { "{{\($0)}}" }.joined(separator: ", ")
      throw reader.problem(name, "{{\(unknown)}} is unknown; there are \(list)")
    }
    return value
  }

  private static func read(
    _ reader: inout RuleReader, _ name: String, into answer: inout RESTStyle.Response
  ) throws(OverrideProblem) {
    guard var inner = try reader.object(name) else { return }
    answer.status = try inner.int("status", in: 200...599) ?? answer.status
    answer.body = inner.value("body")
    try inner.finish()
    if let body = answer.body, body.isNull { answer.body = nil }
    if answer.status == 204, answer.body != nil {
      throw inner.problem("body", "cannot be: an answer with status 204 has none")
    }
  }

  private mutating func readPages(_ reader: inout RuleReader) throws(OverrideProblem) {
    guard var inner = try reader.object("pages") else { return }
    style.paging.number = try inner.text("number") ?? style.paging.number
    style.paging.size = try inner.text("size") ?? style.paging.size
    style.paging.offset = try inner.text("offset")
    style.paging.standardSize = try inner.int("standardSize", in: 1...1_000_000) ?? 20
    style.paging.isAlways = try inner.bool("always") ?? false
    try inner.finish()
  }
}
