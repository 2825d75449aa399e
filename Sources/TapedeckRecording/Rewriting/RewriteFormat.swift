import TapedeckHTTP

/// Rules of rewriting as they stand in `cassette.json` and in a journal's first line:
/// `{"fields": ["X-Next-Page"], "bodies": true}`, `false` where nothing is rewritten, and `true` for the default.
enum RewriteFormat {
  static func encode(_ rules: RewriteRules) -> JSONValue {
    guard rules.isOn else { return false }
    var members: [JSONMember] = []
    if !rules.fields.isEmpty {
      members.append(JSONMember("fields", .array(rules.fields.map { JSONValue($0) })))
    }
    if rules.rewritesBodies { members.append(JSONMember("bodies", true)) }
    return members.isEmpty ? true : .object(members)
  }

  static func decode(_ value: JSONValue, at place: JSONPlace) throws(JSONProblem) -> RewriteRules {
    var fields: [String] = []
    var rewritesBodies = false
    if value.bool == nil {
      guard case .object = value else { throw place.problem("true, false or an object is expected here") }
      let object = try StrictObject(value, at: place, known: ["fields", "bodies"], allowsOwn: true)
      rewritesBodies = try object.bool("bodies") ?? false
      fields = try object.texts("fields") ?? []
    }
    do throws(HTTPFieldError) {
      return try RewriteRules(isOn: value.bool ?? true, fields: fields, rewritesBodies: rewritesBodies)
    } catch { throw place.member("fields").problem("\(error)") }
  }
}
