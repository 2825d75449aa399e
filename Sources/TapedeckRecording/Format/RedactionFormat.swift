package import TapedeckHTTP
package import TapedeckRedaction

/// Redaction rules as they stand in `cassette.json` and in a journal's first line:
/// `{"key": "…", "redact": ["x-internal-*"], "keep": ["locale"]}`, or `false` where nothing is hidden.
package enum RedactionFormat {
  package static func encode(_ redaction: Redaction) -> JSONValue {
    guard let rules = redaction.rules else { return false }
    var members = [JSONMember("key", JSONValue(rules.key.text))]
    if !rules.redact.isEmpty {
      members.append(JSONMember("redact", .array(rules.redact.map { JSONValue($0.text) })))
    }
    if !rules.keep.isEmpty { members.append(JSONMember("keep", .array(rules.keep.map { JSONValue($0) }))) }
    return .object(members)
  }

  static func decode(_ value: JSONValue, at place: JSONPlace) throws(JSONProblem) -> Redaction {
    if value.bool == false { return .off }
    guard case .object = value else { throw place.problem("false or an object is expected here") }
    let object = try StrictObject(value, at: place, known: ["key", "redact", "keep"], allowsOwn: true)
    guard let key = try object.text("key"), !key.isEmpty else {
      throw place.member("key").problem("a text is expected here; any will do, and it must not change")
    }
    var rules = RedactionRules(key: RedactionKey(key))
    for (index, text) in (try object.texts("redact") ?? []).enumerated() {
      do throws(RedactionPatternError) { rules.redact.append(try RedactionPattern(text)) } catch {
        throw place.member("redact").element(index).problem("this \(error)")
      }
    }
    rules.keep = try object.texts("keep") ?? []
    return Redaction(rules)
  }
}
