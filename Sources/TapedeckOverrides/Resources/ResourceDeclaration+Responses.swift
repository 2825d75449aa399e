internal import TapedeckHTTP
internal import TapedeckMocking
internal import TapedeckResources

/// Reads how responses differ from the usual ones of REST.
extension ResourceDeclaration {
  mutating func readResponses(_ reader: inout RuleReader) throws(OverrideProblem) {
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
    style.putMerges = try reader.word("put", of: ["replace", "merge"]) == "merge"
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
    let places = value.namesToFill
    guard places.contains(place) else {
      throw reader.problem(name, "must have \"{{\(place)}}\" where \(place) go")
    }
    if let unknown = places.subtracting(known).sorted().first {
      let list = known.sorted().map { "{{\($0)}}" }.joined(separator: ", ")
      throw reader.problem(name, "{{\(unknown)}} is unknown; known are \(list)")
    }
    return value
  }

  private static func read(
    _ reader: inout RuleReader, _ name: String, into response: inout RESTStyle.Response
  ) throws(OverrideProblem) {
    guard var inner = try reader.object(name) else { return }
    response.status = try inner.int("status", in: 200...599) ?? response.status
    response.body = inner.value("body")
    try inner.finish()
    if let body = response.body, body.isNull { response.body = nil }
    if response.status == 204, response.body != nil {
      throw inner.problem("body", "is not allowed: a response with status 204 has none")
    }
  }

  private mutating func readPages(_ reader: inout RuleReader) throws(OverrideProblem) {
    guard var inner = try reader.object("pages") else { return }
    style.pageNumber = try inner.text("number") ?? style.pageNumber
    style.pageSize = try inner.text("size") ?? style.pageSize
    style.pageOffset = try inner.text("offset")
    style.standardPageSize = try inner.int("standardSize", in: 1...1_000_000) ?? 20
    style.isAlwaysPaged = try inner.bool("always") ?? false
    try inner.finish()
  }
}
