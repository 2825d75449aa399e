internal import TapedeckHTTP

/// Differences to be laid over an answer. All that they do not name stays as it was.
struct Patch: Sendable {
  static let members = "status, headers, addHeaders, json, jsonPatch, replace, truncate and delay"

  /// A text in place of another, everywhere in a body.
  struct Replacement: Sendable, Equatable {
    var text: String
    var with: String
  }

  var status: Int?
  var headers: HeaderEdits
  /// By path, in order.
  var json: [JSONEdit]
  /// RFC 6902.
  var jsonPatch: JSONPatch?
  var replacements: [Replacement]
  /// How many bytes of the body are left.
  var truncate: Int?
  var delay: RuleDelay?

  init(_ reader: inout RuleReader) throws(OverrideProblem) {
    status = try reader.int("status", in: 200...999)
    headers = try HeaderEdits(&reader)
    json = try Self.edits(&reader)
    jsonPatch = try Self.jsonPatch(&reader)
    replacements = try Self.replacements(&reader)
    truncate = try reader.int("truncate", in: 0...Int.max)
    delay = try RuleDelay.read(&reader, "delay")
  }

  var changesBody: Bool {
    !json.isEmpty || jsonPatch != nil || !replacements.isEmpty || truncate != nil
  }

  var changesHead: Bool { status != nil || !headers.isEmpty }

  var isEmpty: Bool { !changesBody && !changesHead && delay == nil }

  // MARK: Reading

  private static func edits(_ reader: inout RuleReader) throws(OverrideProblem) -> [JSONEdit] {
    guard let value = reader.value("json") else { return [] }
    let place = reader.place(of: "json")
    guard let items = value.array, !items.isEmpty else {
      throw OverrideProblem(place, "must be a list of edits like {\"set\": \"$.items\", \"value\": []}")
    }
    var edits: [JSONEdit] = []
    for (index, item) in items.enumerated() { edits.append(try edit(item, at: "\(place)[\(index)]")) }
    return edits
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
    do { return try JSONPath(text) } catch { throw reader.problem(name, "\(error)") }
  }

  private static func jsonPatch(_ reader: inout RuleReader) throws(OverrideProblem) -> JSONPatch? {
    guard let value = reader.value("jsonPatch") else { return nil }
    let patch: JSONPatch
    do { patch = try JSONPatch(value) } catch { throw reader.problem("jsonPatch", "\(error)") }
    guard !patch.isEmpty else { throw reader.problem("jsonPatch", "has no operations") }
    return patch
  }

  private static func replacements(_ reader: inout RuleReader) throws(OverrideProblem) -> [Replacement] {
    guard let value = reader.value("replace") else { return [] }
    let place = reader.place(of: "replace")
    let items = value.array ?? [value]
    guard !items.isEmpty else { throw OverrideProblem(place, "is an empty list") }
    var replacements: [Replacement] = []
    for (index, item) in items.enumerated() {
      var inner = try RuleReader(item, at: value.array == nil ? place : "\(place)[\(index)]")
      guard let text = try inner.text("text"), !text.isEmpty else {
        throw inner.problem("text", "must be a text that is not empty: what is to be replaced")
      }
      guard let with = try inner.text("with") else { throw inner.problem("with", "must be a text") }
      try inner.finish()
      replacements.append(Replacement(text: text, with: with))
    }
    return replacements
  }
}
