internal import TapedeckHTTP
internal import TapedeckMocking
internal import TapedeckResources

extension OverridesSchema {
  static var resource: JSONValue {
    let ofREST = ["within", "lists", "envelope", "answers", "pages", "passes", "put"]
    return object(
      identity + resourcePlace + resourceObjects + resourceActions + resourceAnswers,
      [
        "required": ["path"],
        "allOf": [
          [
            "if": ["properties": ["as": ["const": "json:api"]], "required": ["as"]],
            "then": ["properties": .object(ofREST.map { member($0, false) })],
          ],
          ["if": required("within"), "then": ["properties": ["seed": ["maxItems": 0]]]],
        ],
      ])
  }

  private static func words(_ words: [String]) -> JSONValue { ["enum": .array(words.map { JSONValue($0) })] }

  private static func list(of items: JSONValue) -> JSONValue { ["type": "array", "items": items] }

  private static var text: JSONValue { ["type": "string"] }

  private static var resourcePath: JSONValue {
    let segment = #"(?:[^/?#{}*:][^/?#{}*]*|\{(?!id\})[^/?#{}*]+\}|:(?!id(?:/|$))[^/?#{}*]+)"#
    return described(
      "Steps and holes; a hole is the member of the objects that it stands for, and not {id}.",
      [
        "type": "string", "pattern": JSONValue("^/+\(segment)(?:/+\(segment))*/*$"),
        "examples": ["/users", "/users/{userId}/posts"],
      ])
  }

  private static var resourcePlace: [JSONMember] {
    [
      member(
        "as",
        described(
          "The style of the API; rest where it is missing.",
          words(ResourceDeclaration.Representation.allCases.map(\.rawValue)))),
      member("path", described("Of the collection.", resourcePath)),
      member("name", described("Of one object; by the path where it is missing.", text)),
      member(
        "within",
        described(
          "The list is a member of the objects of another resource.",
          object([member("resource", text), member("member", text)], ["required": ["resource", "member"]]))),
      member("lists", described("Other paths of the list.", list(of: resourcePath))),
    ]
  }

  private static var resourceObjects: [JSONMember] {
    [
      member("idMember", described("id where it is missing.", text)),
      member("defaults", described("Members that new objects get.", ["type": "object"])),
      member("required", described("Members without which none is created.", list(of: text))),
      member("hidden", described("Members that are never shown.", list(of: text))),
      member("newest", described("Where new objects are in the list.", words(["first", "last"]))),
      member("seed", described("What it begins with.", seed)),
      member("ids", described("What new ids are like.", words(IDKind.allCases.map(\.rawValue)))),
      member(
        "nextIDs", described("Of the next objects.", list(of: ["oneOf": [text, ["type": "integer"]]]))),
    ]
  }

  private static var resourceActions: [JSONMember] {
    let actions = list(of: words(["index", "show", "create", "update", "delete"]))
    return [
      member("only", described("These and no others.", actions)),
      member("except", described("All but these.", actions)),
      member("passes", described("Ids of objects that the rest of the chain answers for.", list(of: text))),
    ]
  }

  private static var resourceAnswers: [JSONMember] {
    let envelope: JSONValue = ["oneOf": [text, ["type": "object"]]]
    let answer = object([member("status", whole(200, 599)), member("body", true)])
    let answers = ["create", "update", "delete", "missing"].map { member($0, answer) }
    return [
      member(
        "envelope",
        described("What stands around.", object([member("list", envelope), member("item", envelope)]))),
      member("answers", described("Statuses and bodies that are not the usual ones.", object(answers))),
      member("put", described("What PUT does.", words(["replace", "merge"]))),
      member(
        "pages",
        described(
          "Names of the query items that choose a page.",
          object(
            ["number", "size", "offset"].map { member($0, text) } + [
              member("standardSize", whole(1, 1_000_000)), member("always", ["type": "boolean"]),
            ]))),
    ]
  }

  private static var seed: JSONValue {
    let random = member("randomSeed", whole(0, 9_007_199_254_740_991))
    return [
      "oneOf": [
        ["type": "array"], object([member("data", ["type": "array"])], ["required": ["data"]]),
        object([member("file", ["type": "string", "minLength": 1])], ["required": ["file"]]),
        object(
          [member("count", whole(0, 100_000)), random, member("fields", map(reference("field")))],
          ["required": ["count"]]),
        object(
          [member("cassette", text), member("recording", text)], ["required": ["cassette", "recording"]]),
      ]
    ]
  }

  /// What a member of made-up objects is like.
  static var field: JSONValue {
    let ends: JSONValue = ["type": "array", "minItems": 2, "maxItems": 2, "items": ["type": "number"]]
    return [
      "oneOf": [
        words(FakeField.Kind.allCases.map(\.rawValue)), ["type": "array", "minItems": 1],
        ["type": ["number", "boolean", "null"]], object([member("value", true)], ["required": ["value"]]),
        object([member("int", ends)], ["required": ["int"]]),
        object([member("double", ends)], ["required": ["double"]]),
        object([member("sentences", whole(1, 1000))], ["required": ["sentences"]]),
        object([member("object", map(reference("field")))], ["required": ["object"]]),
      ]
    ]
  }
}
