package import TapedeckHTTP

/// What an overrides file may hold, as a JSON schema (draft 2020-12) for editors and other programs.
///
/// Whatever it refuses the program refuses too. The program looks at more than a schema can say: that files are there,
/// ids are unique, templates are well formed and paths lead somewhere.
package enum OverridesSchema {
  package static var document: JSONValue {
    [
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "title": "Tapedeck overrides",
      "description": "What goes before recordings and the origin, or is laid over what they answer.",
      "type": "object",
      "properties": [
        "$schema": described("Where this schema is, for editors.", ["type": "string"]),
        "routes": rules("Answers of their own.", "route"),
        "resources": rules("Collections served by a store.", "resource"),
        "patches": rules("Changes to what the rest of the chain answers, recorded or live.", "patch"),
        "faults": rules("What goes wrong on the way to the client, whoever answers.", "fault"),
      ],
      "additionalProperties": false,
      "$defs": definitions,
    ]
  }

  private static func rules(_ description: String, _ name: String) -> JSONValue {
    described(description, ["type": "array", "items": reference(name)])
  }

  private static var definitions: JSONValue {
    .object(
      [
        member("route", route), member("answer", answer), member("resource", resource),
        member("patch", patch),
        member("fault", fault), member("effect", effect), member("field", field),
      ] + shared)
  }

  // MARK: Routes

  /// The members of an answer.
  private static var answerMembers: [JSONMember] {
    [
      member("status", described("200 where it is missing.", whole(200, 999))),
      member(
        "headers", described("Each a text, or a list of texts for as many fields.", reference("fields"))),
      member("json", described("The body, as JSON. Every text in it may be a template.", true)),
      member("text", described("The body, as text. It may be a template.", ["type": "string"])),
      member(
        "file",
        described(
          "The body, from a file beneath the folder of this one; a template where its name ends in .mustache.",
          ["type": "string", "minLength": 1, "not": ["pattern": "^/"]])),
      member("template", described("false where {{ is meant as it stands.", ["type": "boolean"])),
      member("delay", described("How long the client waits for it.", reference("delay"))),
      member("fault", described("What goes wrong on its way.", reference("effect"))),
    ]
  }

  private static var oneBody: JSONValue {
    [
      "not": [
        "anyOf": .array([("json", "text"), ("json", "file"), ("text", "file")].map { required($0, $1) })
      ]
    ]
  }

  private static var answer: JSONValue { object(answerMembers, ["allOf": [oneBody]]) }

  private static var route: JSONValue {
    let sequence: [JSONMember] = [
      member(
        "sequence",
        described("Answers to come in turn.", ["type": "array", "minItems": 1, "items": reference("answer")])),
      member(
        "onEnd",
        described(
          "After the last of the sequence: it stays (repeat), the first comes again (loop), or the route is over (pass).",
          ["enum": ["repeat", "loop", "pass"]])),
    ]
    let none = JSONValue.object(answerMembers.map { JSONMember($0.name, false) })
    return object(
      identity + condition("GET and HEAD where it is missing.") + usage("probability") + answerMembers
        + sequence,
      [
        "required": ["path"], "dependentRequired": ["onEnd": ["sequence"]],
        "allOf": [oneBody, ["if": required("sequence"), "then": ["properties": none]]],
      ])
  }
}
