internal import TapedeckHTTP

extension OverridesSchema {
  static var patch: JSONValue {
    let effects = effects
    return object(
      identity + condition("Any where it is missing.") + usage("probability") + effects + [
        member(
          "misses",
          described("Whether refusals of what is not recorded are changed too.", ["type": "boolean"]))
      ],
      ["required": ["path"], "anyOf": .array(effects.map { required($0.name.text) })])
  }

  private static var effects: [JSONMember] {
    [
      member("status", described("Another status.", whole(200, 999))),
      member("headers", described("Fields to be set; null removes.", headerEdits(removes: true))),
      member("addHeaders", described("Fields to be added.", headerEdits(removes: false))),
      member(
        "json",
        described("Edits of a JSON body by path, in order.", ["type": "array", "minItems": 1, "items": edit])),
      member(
        "jsonPatch",
        described("A JSON patch of RFC 6902.", ["type": "array", "minItems": 1, "items": operation])),
      member(
        "replace",
        described(
          "Texts to be replaced everywhere in a textual body.",
          ["oneOf": [replacement, ["type": "array", "minItems": 1, "items": replacement]]])),
      member("truncate", described("How many bytes of the body are left.", whole(0))),
      member("delay", described("How much later the answer begins.", reference("delay"))),
    ]
  }

  private static func headerEdits(removes: Bool) -> JSONValue {
    let one: JSONValue = ["oneOf": [reference("fieldValue"), ["type": "number"]]]
    let kinds: [JSONValue] = [
      one,
      .object((removes ? [] : [member("minItems", 1)]) + [member("type", "array"), member("items", one)]),
    ]
    return [
      "type": "object",
      "propertyNames": [
        "minLength": 1,
        "not": [
          "pattern":
            "[^!#$%&'*+.^_`|~0-9A-Za-z-]|^(?:[Cc]ontent-[Ll]ength|[Tt]ransfer-[Ee]ncoding|[Cc]onnection|[Kk]eep-[Aa]live)$"
        ],
      ],
      "additionalProperties": ["oneOf": .array(kinds + (removes ? [["type": "null"]] : []))],
    ]
  }

  private static var edit: JSONValue {
    func change(_ name: String) -> JSONValue {
      object(
        [member(name, ["type": "string", "pattern": #"^\$"#]), member("value", true)],
        ["required": [JSONValue(name), "value"]])
    }
    return [
      "oneOf": [
        change("set"), change("append"),
        object([member("remove", ["type": "string", "pattern": #"^\$."#])], ["required": ["remove"]]),
      ], "examples": [["set": "$.items", "value": []], ["remove": "$..token"]],
    ]
  }

  /// Unknown members are allowed, as RFC 6902 §4 wants it.
  private static var operation: JSONValue {
    let pointer: JSONValue = ["type": "string", "pattern": "^(?:/(?:[^~]|~[01])*)?$"]
    func operation(_ names: [JSONValue], _ wants: JSONValue...) -> JSONValue {
      ["properties": ["op": ["enum": .array(names)]], "required": .array(["op", "path"] + wants)]
    }
    return [
      "type": "object", "properties": ["path": pointer, "from": pointer],
      "oneOf": [
        operation(["add", "replace", "test"], "value"), operation(["move", "copy"], "from"),
        operation(["remove"]),
      ],
    ]
  }

  private static var replacement: JSONValue {
    object(
      [member("text", ["type": "string", "minLength": 1]), member("with", ["type": "string"])],
      ["required": ["text", "with"]])
  }
}
