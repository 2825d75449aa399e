internal import TapedeckHTTP

/// What rules of all kinds have in common.
extension OverridesSchema {
  // MARK: Writing schemas

  static func member(_ name: String, _ value: JSONValue) -> JSONMember { JSONMember(JSONString(name), value) }

  static func described(_ text: String, _ schema: JSONValue) -> JSONValue {
    .object([member("description", JSONValue(text))] + (schema.members ?? []))
  }

  static func reference(_ name: String) -> JSONValue { ["$ref": JSONValue("#/$defs/\(name)")] }

  static func required(_ names: String...) -> JSONValue { ["required": .array(names.map { JSONValue($0) })] }

  /// An object with these members and no others.
  static func object(_ members: [JSONMember], _ rest: JSONValue = [:]) -> JSONValue {
    .object(
      [member("type", "object"), member("properties", .object(members))] + (rest.members ?? [])
        + [member("additionalProperties", false)])
  }

  static func whole(_ least: Int, _ most: Int? = nil) -> JSONValue {
    .object(
      [member("type", "integer"), member("minimum", JSONValue(least))]
        + (most.map { [member("maximum", JSONValue($0))] } ?? []))
  }

  /// Each of these members may have a value of this kind, whatever its name.
  static func map(_ value: JSONValue) -> JSONValue { ["type": "object", "additionalProperties": value] }

  // MARK: Members of all rules

  static var identity: [JSONMember] {
    [member("id", described("By which the admin API, logs and explanations call it.", reference("id")))]
  }

  static func condition(_ method: String) -> [JSONMember] {
    [
      member("method", described(method, reference("method"))), member("path", reference("path")),
      member("when", reference("when")),
    ]
  }

  static func usage(_ probability: String) -> [JSONMember] {
    let most = 9_007_199_254_740_991
    let turns: JSONValue = [
      "oneOf": [whole(1, most), ["type": "array", "minItems": 1, "items": whole(1, most)]]
    ]
    return [
      member("times", described("So often at most.", whole(1, most))),
      member("after", described("Leaving out so many of its requests.", whole(0, most))),
      member("on", described("Which of its requests, counted from 1.", turns)),
      member(
        probability,
        described("How likely it is to act.", ["type": "number", "minimum": 0, "maximum": 1])),
      member("seed", described("Of all that is left to chance; the same in every run.", whole(0, most))),
    ]
  }

  // MARK: Definitions

  static var shared: [JSONMember] {
    [
      member(
        "id",
        [
          "type": "string", "minLength": 1, "maxLength": 100, "not": ["pattern": #"[^A-Za-z0-9._-]|^\.\.?$"#],
        ]),
      member("method", method), member("path", path), member("when", when),
      member("textMatcher", textMatcher), member("jsonMatcher", jsonMatcher), member("fields", fields),
      member("fieldValue", ["type": "string", "not": ["pattern": #"[\u0000-\u0008\u000a-\u001f\u007f]"#]]),
      member("fieldName", ["minLength": 1, "not": ["pattern": JSONValue(token)]]), member("delay", delay),
    ]
  }

  private static let token = "[^!#$%&'*+.^_`|~0-9A-Za-z-]"

  private static var method: JSONValue {
    let name: JSONValue = ["type": "string", "minLength": 1, "not": ["pattern": JSONValue(token)]]
    return [
      "oneOf": [name, ["type": "array", "minItems": 1, "items": name]],
      "examples": ["GET", ["GET", "POST"], "*"],
    ]
  }

  private static var path: JSONValue {
    let segment = #"(?:[^/?#{}*:][^/?#{}]*|\{[^/?#{}]+\}|:[^/?#{}]+)"#
    return described(
      "With holes: {id} or :id for a segment, *rest for all that remains.",
      [
        "type": "string", "pattern": JSONValue("^/+(?:\(segment)/+)*(?:\(segment)|\\*[^/?#{}]*)?/*$"),
        "examples": ["/users/{id}", "/files/*"],
      ])
  }

  private static var when: JSONValue {
    let matchers = map(reference("textMatcher"))
    return described(
      "What else a request must be like.",
      object([
        member("query", described("Items of the query by name.", matchers)),
        member("headers", described("Header fields by name, whose case does not count.", matchers)),
        member("form", described("Fields of a form in the body by name.", matchers)),
        member("body", described("The body as text.", reference("textMatcher"))),
        member("json", described("What a body of JSON must hold at least.", true)),
        member(
          "jsonPath",
          described(
            "Places in a body of JSON, like $.user.role.",
            [
              "type": "object", "propertyNames": ["pattern": #"^\$"#],
              "additionalProperties": reference("jsonMatcher"),
            ])),
      ]))
  }

  private static var partial: [JSONMember] {
    ["contains", "startsWith", "endsWith"].map { member($0, ["type": "string"]) }
  }

  private static var oneMember: JSONValue { ["minProperties": 1, "maxProperties": 1] }

  private static var textMatcher: JSONValue {
    described(
      "A text for itself, a list for one of these, true for there, false for not there.",
      [
        "oneOf": [
          ["type": ["string", "number", "boolean"]],
          ["type": "array", "minItems": 1, "items": ["type": "string"]], object(partial, oneMember),
        ]
      ])
  }

  private static var jsonMatcher: JSONValue {
    let plain: JSONValue = ["type": ["string", "number", "boolean", "null"]]
    return described(
      "A plain value for itself, a list for one of these.",
      [
        "oneOf": [
          plain, ["type": "array", "minItems": 1, "items": plain],
          object([member("exists", ["type": "boolean"])] + partial, oneMember),
        ]
      ])
  }

  private static var fields: JSONValue {
    let value: JSONValue = [
      "oneOf": [reference("fieldValue"), ["type": "array", "items": reference("fieldValue")]]
    ]
    return [
      "type": "object", "propertyNames": reference("fieldName"),
      "additionalProperties": value,
    ]
  }

  private static var delay: JSONValue {
    let seconds: JSONValue = ["type": "number", "minimum": 0, "maximum": 86_400]
    return described(
      "Seconds, or a range of them.",
      [
        "oneOf": [
          seconds, object([member("min", seconds), member("max", seconds)], ["required": ["min", "max"]]),
        ], "examples": [0.5, ["min": 0.1, "max": 0.5]],
      ])
  }
}
