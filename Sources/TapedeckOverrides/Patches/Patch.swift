internal import TapedeckHTTP
internal import TapedeckSockets

/// A change to the responses of the rest of the chain, recorded or live. Recordings do not contain it, and everything
/// that it does not name stays as it was.
struct Patch: RuleEffect {
  static let kind = OverrideKind.patches

  /// Whether it also changes the responses to misses.
  let includesMisses: Bool
  let status: Int?
  let headers: HeaderEdits
  /// Edits by path, in order.
  let json: [JSONEdit]
  /// RFC 6902.
  let jsonPatch: JSONPatch?
  /// Replacements of all occurrences of a text in the body.
  let replacements: [(text: String, with: String)]
  /// The number of bytes to keep of the body.
  let truncate: Int?
  /// Edits of the events of a stream, in order.
  let events: [EventEdit]
  /// Edits of the messages of a WebSocket, in order.
  let messages: [MessageEdit]
  let delay: RuleDelay?

  init(
    _ reader: inout RuleReader, _ path: PathPattern, _ file: OverridesFile?, _ limits: inout RuleLimits
  ) throws(OverrideProblem) {
    includesMisses = try reader.bool("misses") ?? false
    status = try reader.int("status", in: 200...999)
    headers = try HeaderEdits(&reader)
    json = try reader.read("json", Self.edits) ?? []
    jsonPatch = try Self.jsonPatch(&reader)
    replacements = try reader.read("replace", Self.replacements) ?? []
    truncate = try reader.int("truncate", in: 0...Int.max)
    events = try reader.read("events", Self.eventEdits) ?? []
    messages = try reader.read("messages", Self.messageEdits(path)) ?? []
    delay = try reader.read("delay", RuleDelay.init)
    try reader.finish()
    guard changesBody || changesHead || !events.isEmpty || !messages.isEmpty || delay != nil else {
      throw OverrideProblem(
        reader.place,
        "changes nothing: it needs one of status, headers, addHeaders, json, jsonPatch, replace, truncate, events, "
          + "messages and delay")
    }
  }

  var changesBody: Bool { bodyEditCount > 0 }

  var changesHead: Bool { status != nil || !headers.isEmpty }

  var bodyEditCount: Int {
    json.count + (jsonPatch == nil ? 0 : 1) + replacements.count + (truncate == nil ? 0 : 1)
  }

  var isOnlyTruncation: Bool { truncate != nil && bodyEditCount == 1 }

  // MARK: Reading

  private static func eventEdits(
    _ value: JSONValue, at place: String
  ) throws(OverrideProblem) -> [EventEdit] {
    guard let items = value.array, !items.isEmpty else {
      throw OverrideProblem(place, "must be a list of edits like {\"at\": 2, \"drop\": true}")
    }
    let templates = RuleTemplates(areOn: false, path: try PathPattern(declared: "/", at: place))
    return try items.read(at: place) { item, place throws(OverrideProblem) in
      try EventEdit(item, at: place, templates)
    }
  }

  private static func messageEdits(_ path: PathPattern) -> RuleReader.Read<[MessageEdit]> {
    { value, place throws(OverrideProblem) in
      guard let items = value.array, !items.isEmpty else {
        throw OverrideProblem(place, "must be a list of edits like {\"at\": 2, \"drop\": true}")
      }
      return try items.read(at: place) { item, place throws(OverrideProblem) in
        try MessageEdit(item, at: place, path)
      }
    }
  }

  static func edits(_ value: JSONValue, at place: String) throws(OverrideProblem) -> [JSONEdit] {
    guard let items = value.array, !items.isEmpty else {
      throw OverrideProblem(place, "must be a list of edits like {\"set\": \"$.items\", \"value\": []}")
    }
    return try items.read(at: place, edit)
  }

  private static func edit(_ json: JSONValue, at place: String) throws(OverrideProblem) -> JSONEdit {
    var reader = try RuleReader(json, at: place)
    let set = try path("set", &reader)
    let remove = try path("remove", &reader)
    let append = try path("append", &reader)
    let value = reader.value("value")
    try reader.finish()
    switch (set, remove, append, value) {
    case (let path?, nil, nil, let value?): return .set(path, value)
    case (nil, let path?, nil, nil) where path == .root:
      throw reader.problem("remove", "the document itself cannot be removed; set $ to null, or truncate to 0")
    case (nil, let path?, nil, nil): return .remove(path)
    case (nil, nil, let path?, let value?): return .append(path, value)
    case (nil, .some, nil, .some): throw reader.problem("value", "does not go with remove")
    case (.some, nil, nil, nil), (nil, nil, .some, nil):
      throw OverrideProblem(place, "\"value\" is missing")
    default: throw OverrideProblem(place, "needs one of set, remove and append, with a JSON path")
    }
  }

  private static func path(_ name: String, _ reader: inout RuleReader) throws(OverrideProblem) -> JSONPath? {
    guard let text = try reader.text(name) else { return nil }
    return try reader.checked(name) { try JSONPath(text) }
  }

  private static func jsonPatch(_ reader: inout RuleReader) throws(OverrideProblem) -> JSONPatch? {
    guard let value = reader.value("jsonPatch") else { return nil }
    let patch = try reader.checked("jsonPatch") { try JSONPatch(value) }
    guard !patch.isEmpty else { throw reader.problem("jsonPatch", "has no operations") }
    return patch
  }

  static func replacements(
    _ value: JSONValue, at place: String
  ) throws(OverrideProblem) -> [(text: String, with: String)] {
    guard let items = value.array else { return [try replacement(value, at: place)] }
    guard !items.isEmpty else { throw OverrideProblem(place, "is an empty list") }
    return try items.read(at: place, replacement)
  }

  private static func replacement(
    _ value: JSONValue, at place: String
  ) throws(OverrideProblem) -> (text: String, with: String) {
    var reader = try RuleReader(value, at: place)
    guard let text = try reader.text("text"), !text.isEmpty else {
      throw reader.problem("text", "must be the text to replace, and not empty")
    }
    guard let with = try reader.text("with") else { throw reader.problem("with", "must be a text") }
    try reader.finish()
    return (text, with)
  }
}

/// Patches apply to recordings and the origin's responses, and to misses if the patch says so.
extension Patch: ResponseEffect {
  func applies(to source: ServedResponse.Source) -> Bool { source != .unmatched || includesMisses }

  static func apply(
    _ acting: [(rule: RequestRule<Patch>, turn: Int)], to response: ServedResponse, of request: HTTPRequest,
    _ usages: RuleUsages<Patch>, _ decisions: DecisionCollector?, loop: EventLoop
  ) -> ServedResponse {
    let patching = Patching(acting.map(\.rule), usages, to: request.method, decisions)
    var response = response
    patching.patchMessages(of: &response, acting, request, loop: loop)
    response.content = patching.content(response.content)
    let delay = acting.reduce(Int64(0)) { sum, acting in
      var generator = acting.rule.limits.generator(beyondDiceOf: acting.turn)
      return sum + (acting.rule.effect.delay?.nanoseconds(using: &generator) ?? 0)
    }
    response.delay(by: delay, of: request, loop)
    return response
  }
}
