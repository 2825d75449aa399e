internal import TapedeckHTTP

/// A change to the events of a stream: which events, by `at`, `event`, `data` and `jsonPath`, and what becomes of them.
struct EventEdit: Sendable {
  /// Numbers of events, from 1; `nil` for all.
  private let places: [Int]?
  private let name: TextMatcher?
  private let data: TextMatcher?
  private let jsonPath: [(path: JSONPath, matcher: JSONMatcher)]
  /// Edits of the data by path, in order.
  let json: [JSONEdit]
  let replacements: [(text: String, with: String)]
  let drops: Bool
  let before: [DeclaredEvent]
  let after: [DeclaredEvent]
  /// Whether the stream ends after the event.
  let cuts: Bool

  init(_ value: JSONValue, at place: String, _ templates: RuleTemplates) throws(OverrideProblem) {
    var reader = try RuleReader(value, at: place)
    places = try RuleLimits.turns("at", of: "an event", &reader)
    name = try reader.read("event", TextMatcher.init)
    data = try reader.read("data", TextMatcher.init)
    var paths = try reader.object("jsonPath")
    jsonPath = try (paths?.readAll(JSONMatcher.init) ?? []).map { name, matcher throws(OverrideProblem) in
      do { return (try JSONPath(name), matcher) } catch {
        throw OverrideProblem("\(reader.place(of: "jsonPath")).\(name)", "\(error)")
      }
    }
    json = try reader.read("json", Patch.edits) ?? []
    replacements = try reader.read("replace", Patch.replacements) ?? []
    drops = try reader.bool("drop") ?? false
    before = try reader.read("before", DeclaredEvent.list(templates)) ?? []
    after = try reader.read("after", DeclaredEvent.list(templates)) ?? []
    cuts = try reader.bool("cut") ?? false
    try reader.finish()
    guard drops || cuts || !json.isEmpty || !replacements.isEmpty || !before.isEmpty || !after.isEmpty else {
      throw OverrideProblem(
        place, "changes nothing: it needs one of json, replace, drop, before, after and cut")
    }
    guard !drops || json.isEmpty && replacements.isEmpty else {
      throw reader.problem("drop", "leaves nothing to edit")
    }
  }

  func fits(_ event: StreamEvent, number: Int) -> Bool {
    if let places, !places.contains(number) { return false }
    if let name, !name.accepts(event.name.isEmpty ? [] : [String(decoding: event.name, as: UTF8.self)]) {
      return false
    }
    guard data != nil || !jsonPath.isEmpty else { return true }
    let content = event.data ?? []
    if let data, !data.accepts([String(decoding: content, as: UTF8.self)]) { return false }
    guard !jsonPath.isEmpty else { return true }
    guard let value = try? JSONValue(parsing: content) else { return false }
    return jsonPath.allSatisfy { $0.matcher.accepts(value.values(at: $0.path)) }
  }
}
