internal import TapedeckHTTP

extension OverridesSchema {
  private static var patchMembers: [JSONMember] {
    [
      member("status", whole(200, 999)),
      member("headers", described("Set, or with null removed.", headerEdits(canRemove: true))),
      member("addHeaders", described("Beside those that are there.", headerEdits(canRemove: false))),
      member(
        "json",
        described("Edits by path, in order.", ["type": "array", "minItems": 1, "items": edit])),
      member(
        "jsonPatch",
        described(
          "Operations of RFC 6902.",
          ["type": "array", "minItems": 1, "items": ["type": "object", "required": ["op", "path"]]])),
      member(
        "replace",
        described(
          "Texts in place of others, everywhere in the body.",
          ["oneOf": [replacement, ["type": "array", "minItems": 1, "items": replacement]]])),
      member("truncate", described("How many bytes of the body are left.", whole(0))),
      member("delay", reference("delay")),
    ]
  }

  static var patch: JSONValue {
    object(
      identity + condition("Any where it is missing.") + usage("probability") + [
        member("misses", described("Whether refusals are changed too.", ["type": "boolean"]))
      ] + patchMembers,
      ["required": ["path"], "anyOf": .array(patchMembers.map { ["required": [JSONValue($0.name.text)]] })])
  }

  private static func headerEdits(canRemove: Bool) -> JSONValue {
    let value: JSONValue = ["oneOf": [reference("fieldValue"), ["type": "number"]]]
    let values: JSONValue = [
      "type": "array", "minItems": JSONValue(canRemove ? 0 : 1), "items": value,
    ]
    let all: [JSONValue] = [reference("fieldValue"), ["type": "number"], values]
    return [
      "type": "object", "propertyNames": ["$ref": "#/$defs/fieldName"],
      "properties": .object(
        ["Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive"].map { member($0, false) }),
      "additionalProperties": ["oneOf": .array(all + (canRemove ? [["type": "null"]] : []))],
    ]
  }

  private static var edit: JSONValue {
    let path: JSONValue = ["type": "string", "pattern": #"^\$"#]
    return [
      "oneOf": [
        object([member("set", path), member("value", true)], ["required": ["set", "value"]]),
        object([member("append", path), member("value", true)], ["required": ["append", "value"]]),
        object([member("remove", ["type": "string", "pattern": #"^\$."#])], ["required": ["remove"]]),
      ]
    ]
  }

  private static var replacement: JSONValue {
    object(
      [member("text", ["type": "string", "minLength": 1]), member("with", ["type": "string"])],
      ["required": ["text", "with"]])
  }
}
