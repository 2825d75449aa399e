import TapedeckHTTP
import TapedeckRecording

extension ImportedSession {
  /// Reads Hoverfly's simulations of schema 5, as far as each pair stands for one request and one response, which is
  /// what its capture mode writes. The states by which it counts repeated requests become responses in order.
  static func readHoverfly(_ document: JSONValue, from source: ImportSource) throws(CassetteError) -> Self {
    guard let pairs = document["data"]?["pairs"]?.array else {
      throw .invalidEntry(
        file: source.path, member: "data.pairs", problem: "Hoverfly has its pairs here, as an array")
    }
    if let version = document["meta"]?["schemaVersion"]?.text, !version.hasPrefix("v5") {
      throw .invalidEntry(
        file: source.path, member: "meta.schemaVersion",
        problem: "only v5 is read, and this is \(version); import it into Hoverfly and export it again")
    }
    var session = ImportedSession()
    /// The place of each exchange in a sequence, from 1, as its state counts it; 1 without one.
    var numbers: [Int] = []
    for (index, pair) in pairs.enumerated() {
      let isTaken = session.append(file: source.path, entry: "pair \(index + 1)") {
        draft throws(EntryRefusal) in
        try draft.fill(hoverfly: pair, from: source)
      }
      let state = pair["request"]?["requiresState"]?.members?.first(where: isSequence)
      if isTaken { numbers.append(state.flatMap { Int($0.value.text ?? "") } ?? 1) }
    }
    for name in ["delays", "delaysLogNormal"]
    where document["data"]?["globalActions"]?[name]?.array?.isEmpty == false {
      session.note(.lost, "`globalActions.\(name)` is not carried over", source.path)
    }
    // Stable, since only the order among responses to one request means something.
    let order = numbers.indices.sorted { (numbers[$0], $0) < (numbers[$1], $1) }
    session.exchanges = order.map { session.exchanges[$0] }
    return session
  }
}

private func isSequence(_ state: JSONMember) -> Bool { state.name.text.hasPrefix("sequence:") }

extension ExchangeDraft {
  /// Fills in one pair of a simulation, where every matcher is an equality.
  fileprivate mutating func fill(hoverfly pair: JSONValue, from source: ImportSource) throws(EntryRefusal) {
    let (request, response) = (pair["request"] ?? .null, pair["response"] ?? .null)
    method = try Self.exact(request, "method") ?? ""
    try fillURL(request)
    guard !method.isEmpty else { throw EntryRefusal("it matches any method") }
    for member in request["headers"]?.members ?? [] {
      for value in try Self.values("headers", member) { appendCondition(member.name.decodedBytes, value) }
    }
    try fillRequestBody(request["body"])
    guessMediaType()
    try fillResponse(response, from: source)
    // States other than the count of a repeated request.
    let states = [request["requiresState"], response["transitionsState"]].flatMap { $0?.members ?? [] }
    let removes = response["removesState"]?.array?.isEmpty == false
    if removes || !states.allSatisfy(isSequence) || states.count > 2 {
      throw EntryRefusal("it depends on a state that is more than responses in order")
    }
  }

  // MARK: Request

  private mutating func fillURL(_ request: JSONValue) throws(EntryRefusal) {
    guard let path = try Self.exact(request, "path") else { throw EntryRefusal("it matches any path") }
    let scheme = try Self.exact(request, "scheme")
    let origin = try Self.exact(request, "destination").map { "\(scheme ?? "http")://\($0)" } ?? ""
    // Hoverfly has decoded the path.
    let encoded = path.utf8.flatMap { "?%#".utf8.contains($0) ? PercentCoding.encoded($0) : [$0] }
    let slash = encoded.first == UInt8(ascii: "/") ? "" : "/"
    url = origin + slash + String(decoding: encoded, as: UTF8.self) + (try query(request))
  }

  private mutating func query(_ request: JSONValue) throws(EntryRefusal) -> String {
    if let old = try Self.exact(request, "deprecatedQuery") { return old.isEmpty ? "" : "?\(old)" }
    guard let members = request["query"]?.members else {
      remark(.lost, "it matches with any query there, and without one here")
      return ""
    }
    var pairs: [[UInt8]] = []
    for member in members {
      pairs += try Self.values("query", member).map { FormEncoding.pair(member.name.text.utf8, $0.utf8) }
    }
    return FormEncoding.query(pairs)
  }

  private mutating func fillRequestBody(_ body: JSONValue?) throws(EntryRefusal) {
    guard let matchers = body?.array, let matcher = matchers.first else {
      return remark(.lost, "it matches any body there, and an empty one here")
    }
    guard matchers.count == 1, Self.isPlain(matcher) else {
      throw EntryRefusal("`body` has several conditions")
    }
    let kind = matcher["matcher"]?.text
    switch kind {
    case "exact", "json", "xml":
      if kind == "xml" { remark(.lost, "its XML body is compared byte by byte here") }
      requestBody = matcher["value"]?.utf8Text ?? []
    case "form":
      var pairs: [[UInt8]] = []
      for member in matcher["value"]?.members ?? [] {
        for field in member.value.array ?? [] {
          guard let values = Self.values(field) else {
            throw EntryRefusal("the form matcher of its body meets more than one")
          }
          pairs += values.map { FormEncoding.pair(member.name.decodedBytes, $0.utf8) }
        }
      }
      requestBody = FormEncoding.joined(pairs)
    default: throw EntryRefusal("the \(kind ?? "nameless") matcher of its body meets more than one")
    }
  }

  // MARK: Matchers

  /// The one value that a part of the request must have; `nil` if any will do.
  private static func exact(_ request: JSONValue, _ name: String) throws(EntryRefusal) -> String? {
    guard let matchers = request[name]?.array, !matchers.isEmpty else { return nil }
    guard matchers.count == 1, isPlain(matchers[0]), matchers[0]["matcher"]?.text == "exact",
      let value = matchers[0]["value"]?.text
    else { throw EntryRefusal("`\(name)` matches more than one request") }
    return value
  }

  /// The values that one name of a query or of headers must have.
  private static func values(_ place: String, _ member: JSONMember) throws(EntryRefusal) -> [String] {
    guard let matcher = member.value[0], member.value[1] == nil, let values = Self.values(matcher) else {
      throw EntryRefusal("`\(place)` matches more than one request")
    }
    return values
  }

  /// The values that must all be there, in this order; `nil` if others meet the matcher too.
  private static func values(_ matcher: JSONValue) -> [String]? {
    let name = matcher["matcher"]?.text
    guard isPlain(matcher), name == "exact" || name == "array", let value = matcher["value"] else {
      return nil
    }
    let items = name == "exact" ? [value] : value.array
    let values = items?.compactMap(\.text)
    return values?.count == items?.count ? values : nil
  }

  /// Whether nothing loosens it or goes on with another.
  private static func isPlain(_ matcher: JSONValue) -> Bool {
    (matcher["doMatch"] ?? .null).isNull && (matcher["config"]?.members ?? []).isEmpty
  }

  // MARK: Response

  private mutating func fillResponse(_ response: JSONValue, from source: ImportSource) throws(EntryRefusal) {
    if response["templated"]?.bool == true { throw EntryRefusal("its response is a template") }
    let isEncoded = response["encodedBody"]?.bool == true
    status = response["status"]?.int ?? 0
    appendResponseFields(response["headers"])
    if let name = response["bodyFile"]?.text, !name.isEmpty {
      responseBody = try source.body(name)
    } else {
      let text = response["body"]?.utf8Text ?? []
      responseBody = try isEncoded ? Self.decoded(base64: text) : text
    }
    coding = isEncoded ? .exact : .encoded
    setDelay(response["fixedDelay"])
    for name in ["logNormalDelay", "postServeAction"] {
      guard let value = response[name], !value.isNull, value.text != "" else { continue }
      remark(.lost, "`\(name)` is not carried over")
    }
  }
}
