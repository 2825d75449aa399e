import TapedeckHTTP
import TapedeckRecording

/// Fills a draft from one pair of a simulation, where every matcher is an equality.
struct HoverflyPair {
  private let request: JSONValue
  private let response: JSONValue

  init(_ pair: JSONValue) {
    request = pair["request"] ?? .null
    response = pair["response"] ?? .null
  }

  /// Its place in a sequence, from 1, as its state counts it; nil without one.
  var number: Int? { sequence.flatMap { Int($0.value.text ?? "") } }

  private var sequence: JSONMember? { request["requiresState"]?.members?.first { isSequence($0) } }

  private func isSequence(_ state: JSONMember) -> Bool { state.name.text.hasPrefix("sequence:") }

  func fill(_ draft: inout ExchangeDraft, from source: ImportSource) throws(EntryRefusal) {
    draft.method = try exact("method") ?? ""
    try fillURL(&draft)
    guard !draft.method.isEmpty else { throw EntryRefusal("it matches any method; left out") }
    try fillFields(&draft)
    draft.requestBody = try requestBody(&draft)
    draft.guessMediaType()
    try fillResponse(&draft, from: source)
    try refuseStates()
  }

  // MARK: Request

  /// The one value a field must have; nil when any will do.
  private func exact(_ name: String) throws(EntryRefusal) -> String? {
    guard let matchers = request[name]?.array, !matchers.isEmpty else { return nil }
    guard matchers.count == 1, let value = Self.exact(matchers[0]) else {
      throw EntryRefusal("`\(name)` matches more than one request; left out")
    }
    return value
  }

  private func fillURL(_ draft: inout ExchangeDraft) throws(EntryRefusal) {
    guard let path = try exact("path") else { throw EntryRefusal("it matches any path; left out") }
    let scheme = try exact("scheme")
    let origin = try exact("destination").map { "\(scheme ?? "http")://\($0)" } ?? ""
    let encoded = String(decoding: Self.pathEncoded(Array(path.utf8)), as: UTF8.self)
    draft.url = origin + (encoded.hasPrefix("/") ? encoded : "/" + encoded) + (try query(&draft))
  }

  /// Hoverfly has decoded the path.
  private static func pathEncoded(_ path: [UInt8]) -> [UInt8] {
    path.flatMap { "?%#".utf8.contains($0) ? PercentCoding.encoded($0) : [$0] }
  }

  private func query(_ draft: inout ExchangeDraft) throws(EntryRefusal) -> String {
    if let old = try exact("deprecatedQuery") { return old.isEmpty ? "" : "?\(old)" }
    guard let members = request["query"]?.members else {
      draft.remark(.lost, "it matches with any query there, and without one here")
      return ""
    }
    var pairs: [[UInt8]] = []
    for member in members {
      for value in try values("query", member) {
        pairs.append(FormEncoding.pair(member.name.text.utf8, value.utf8))
      }
    }
    return pairs.isEmpty ? "" : "?\(String(decoding: FormEncoding.joined(pairs), as: UTF8.self))"
  }

  private func fillFields(_ draft: inout ExchangeDraft) throws(EntryRefusal) {
    for member in request["headers"]?.members ?? [] {
      for value in try values("headers", member) { draft.appendCondition(member.name.decodedBytes, value) }
    }
  }

  /// The values that one name of a query or of headers must have.
  private func values(_ place: String, _ member: JSONMember) throws(EntryRefusal) -> [String] {
    guard let matcher = member.value[0], member.value[1] == nil, let values = Self.values(matcher) else {
      throw EntryRefusal("`\(place)` matches more than one request; left out")
    }
    return values
  }

  private func requestBody(_ draft: inout ExchangeDraft) throws(EntryRefusal) -> [UInt8] {
    guard let matchers = request["body"]?.array, let matcher = matchers.first else {
      draft.remark(.lost, "it matches any body there, and an empty one here")
      return []
    }
    guard matchers.count == 1, Self.isPlain(matcher) else {
      throw EntryRefusal("`body` has several conditions; left out")
    }
    switch matcher["matcher"]?.text {
    case "exact", "json": return matcher["value"]?.utf8Text ?? []
    case "xml":
      draft.remark(.lost, "its XML body is compared byte by byte here")
      return matcher["value"]?.utf8Text ?? []
    case "form": return try Self.form(matcher["value"])
    case let name:
      throw EntryRefusal("the \(name ?? "nameless") matcher of its body meets more than one; left out")
    }
  }

  private static func form(_ fields: JSONValue?) throws(EntryRefusal) -> [UInt8] {
    var pieces: [[UInt8]] = []
    for member in fields?.members ?? [] {
      for matcher in member.value.array ?? [] {
        guard let values = Self.values(matcher) else {
          throw EntryRefusal("the form matcher of its body meets more than one; left out")
        }
        pieces += values.map { FormEncoding.pair(member.name.decodedBytes, $0.utf8) }
      }
    }
    return FormEncoding.joined(pieces)
  }

  // MARK: Matchers

  /// The one value that meets a matcher; nil when several do.
  private static func exact(_ matcher: JSONValue) -> String? {
    guard isPlain(matcher), matcher["matcher"]?.text == "exact" else { return nil }
    return matcher["value"]?.text
  }

  /// The values that must all be there, in this order.
  private static func values(_ matcher: JSONValue) -> [String]? {
    if let value = exact(matcher) { return [value] }
    guard isPlain(matcher), matcher["matcher"]?.text == "array", let items = matcher["value"]?.array else {
      return nil
    }
    let values = items.compactMap(\.text)
    return values.count == items.count ? values : nil
  }

  /// Whether nothing loosens it or goes on with another.
  private static func isPlain(_ matcher: JSONValue) -> Bool {
    let doMatch = matcher["doMatch"]
    let config = matcher["config"]?.members ?? []
    return (doMatch == nil || doMatch?.isNull == true) && config.isEmpty
  }

  // MARK: Response

  private func fillResponse(_ draft: inout ExchangeDraft, from source: ImportSource) throws(EntryRefusal) {
    if response["templated"]?.bool == true { throw EntryRefusal("its answer is a template; left out") }
    draft.status = response["status"]?.int ?? 0
    draft.appendResponseFields(response["headers"])
    draft.responseBody = try responseBody(from: source)
    draft.coding = response["encodedBody"]?.bool == true ? .exact : .encoded
    draft.setDelay(response["fixedDelay"])
    for name in ["logNormalDelay", "postServeAction"] where isSet(response[name]) {
      draft.remark(.lost, "`\(name)` is not carried over")
    }
  }

  private func isSet(_ value: JSONValue?) -> Bool {
    guard let value else { return false }
    return !value.isNull && value.text != ""
  }

  private func responseBody(from source: ImportSource) throws(EntryRefusal) -> [UInt8] {
    if let name = response["bodyFile"]?.text, !name.isEmpty { return try source.body(name) }
    let text = response["body"]?.utf8Text ?? []
    guard response["encodedBody"]?.bool == true else { return text }
    guard let bytes = Base64.decodeTolerant(text) else {
      throw EntryRefusal("its body is said to be base64 and is not; left out")
    }
    return bytes
  }

  /// Refuses states other than the count of a repeated request.
  private func refuseStates() throws(EntryRefusal) {
    let states = [request["requiresState"], response["transitionsState"]].flatMap { $0?.members ?? [] }
    let removes = response["removesState"]?.array?.isEmpty == false
    if removes || !states.allSatisfy(isSequence) || states.count > 2 {
      throw EntryRefusal("it depends on a state that is more than answers in order; left out")
    }
  }
}
