internal import TapedeckHTTP
import TapedeckOverrides
internal import TapedeckProxy

/// The schemas of request and response bodies of the admin API, in JSON Schema 2020-12.
enum AdminSchemas {
  static let text: JSONValue = ["type": "string"]
  private static let nullableText: JSONValue = ["type": ["string", "null"]]
  static let bool: JSONValue = ["type": "boolean"]
  static let count: JSONValue = ["type": "integer", "minimum": 0]

  /// An object with no other properties than these, all of them required by default.
  static func object(_ properties: [(String, JSONValue)], required: [String]? = nil) -> JSONValue {
    .object([
      JSONMember("type", "object"),
      JSONMember("properties", .object(properties.map { JSONMember(JSONString($0.0), $0.1) })),
      JSONMember("required", .array((required ?? properties.map(\.0)).map { JSONValue($0) })),
      JSONMember("additionalProperties", false),
    ])
  }

  static func list(_ items: JSONValue) -> JSONValue { ["type": "array", "items": items] }

  static func reference(_ name: String) -> JSONValue { ["$ref": target(name)] }

  /// - Parameter name: may be the path of a reference, whose last segment counts.
  private static func target(_ name: String) -> JSONValue {
    JSONValue("#/components/schemas/\(name.split(separator: "/").last ?? "")")
  }

  static func oneOf(_ words: [String]) -> JSONValue {
    ["type": "string", "enum": .array(words.map { JSONValue($0) })]
  }

  private static let problem = object(
    [("title", text), ("status", ["type": "integer"]), ("detail", text), ("place", text)],
    required: ["title", "status", "detail"])

  private static let rule = object([
    ("id", text), ("declaration", ["type": "object"]), ("fromFile", bool), ("seen", count),
    ("used", count), ("unchanged", count),
  ])

  static let mode = oneOf(RecordMode.allCases.map(\.rawValue))
  static let source = oneOf(ServedResponse.Source.allCases.map(\.rawValue))

  private static let state = object([
    ("status", oneOf(["ok"])), ("url", text), ("mode", mode), ("upstream", nullableText),
    ("cassette", nullableText), ("interactions", object([("recorded", count), ("replayable", count)])),
    ("sessions", count), ("requests", count), ("unmatched", count),
  ])

  /// A message of an exchange whose bodies are exact.
  private static let exactMessage = object(
    [
      ("headers", list(list(text))), ("bodyBytes", count), ("isCut", bool), ("coding", text), ("text", text),
      ("base64", text), ("chunks", list(object([("bytes", count), ("milliseconds", ["type": "number"])]))),
    ], required: ["headers", "bodyBytes", "isCut"])

  private static let recording = object(
    [
      ("file", text), ("line", text), ("status", ["type": "integer"]), ("turn", count), ("turns", count),
      ("drift", list(text)), ("substitution", text), ("problem", text),
      ("request", reference("ExactMessage")), ("response", reference("ExactMessage")),
      ("webSocket", reference("WebSocket")),
    ], required: ["file"])

  /// What was said over a WebSocket, in the words of a cassette.
  private static let webSocket = object(
    [
      ("isOpen", bool), ("omittedBefore", count), ("omittedAfter", count),
      (
        "messages",
        list(
          object(
            [
              ("from", oneOf(["client", "server"])), ("text", text), ("base64", text), ("bytes", count),
              ("isCut", bool), ("atMilliseconds", ["type": "number"]),
            ], required: ["from", "bytes", "isCut", "atMilliseconds"]))
      ),
      (
        "close",
        object(
          [("from", oneOf(["client", "server"])), ("code", ["type": "integer"]), ("reason", text)],
          required: ["from"])
      ), ("problem", text),
    ], required: ["isOpen", "omittedBefore", "omittedAfter", "messages"])

  private static let cassette = object(
    [
      ("name", text), ("interactions", ["type": ["integer", "null"]]), ("bytes", count),
      ("upstream", nullableText), ("sealed", bool), ("problem", nullableText), ("origins", list(text)),
    ], required: ["name", "interactions", "bytes", "upstream", "sealed", "problem"])

  private static let scan = object([
    ("files", count),
    (
      "finds",
      list(
        object([
          ("file", text), ("line", ["type": ["integer", "null"]]), ("place", nullableText),
          ("name", nullableText), ("looksLike", text), ("beginning", text),
        ]))
    ), ("problems", list(text)), ("commands", list(text)),
  ])

  private static let difference = object([("field", text), ("old", nullableText), ("new", nullableText)])

  private static let comparison = object([
    ("rules", list(reference("Difference"))),
    (
      "changes",
      list(
        object([
          ("change", oneOf(["added", "removed", "changed"])), ("method", text), ("target", text),
          ("oldFile", nullableText), ("newFile", nullableText),
          ("differences", list(reference("Difference"))),
        ]))
    ), ("equal", count),
  ])

  private static let promotion = object([
    ("resources", list(["type": "object"])), ("exchanges", list(["type": "object"])),
    ("document", ["type": "object"]), ("advice", nullableText),
  ])

  private static let matching = object([
    ("match", list(text)), ("ignore", list(text)), ("flag", nullableText),
  ])

  private static let use = object([
    ("file", text), ("method", text), ("target", text), ("status", ["type": "integer"]), ("hits", count),
    ("repeated", count), ("drifted", count),
  ])

  private static let message = object(
    [("headers", list(list(text))), ("body", [:]), ("bodyBytes", count), ("encoding", oneOf(["base64"]))],
    required: ["headers", "bodyBytes"])

  private static let summary: [(String, JSONValue)] = [
    ("number", count), ("started", text), ("milliseconds", ["type": "number", "minimum": 0]),
    ("method", text), ("target", text), ("status", ["type": "integer"]), ("source", text), ("why", text),
    ("cutShort", bool),
  ]

  /// Present only if the client named the origin, or the exchange failed.
  private static let optional: [(String, JSONValue)] = [
    ("origin", text), ("failure", object([("cause", text), ("reason", text)])),
  ]

  private static let entry = object(summary + optional, required: summary.map(\.0))

  private static let followed = object(
    [("id", count), ("session", nullableText), ("bodyBytes", count)] + summary + optional + [
      ("file", text), ("rule", text), ("applied", list(text)),
    ], required: ["id", "session", "bodyBytes"] + summary.map(\.0))

  private static let decision = object([
    ("link", text), ("outcome", oneOf(["answered", "applied", "declined"])), ("why", text),
  ])

  private static let exchange = object(
    summary + optional + [
      ("id", count), ("session", nullableText),
      ("request", ["anyOf": [message, reference("ExactMessage")]]),
      ("response", ["anyOf": [message, reference("ExactMessage")]]),
      ("decisions", list(reference("Decision"))), ("nearest", [:]), ("curl", text),
      ("miss", ["type": "object"]), ("recording", reference("Recording")),
      ("webSocket", reference("WebSocket")),
    ],
    required: summary.map(\.0) + ["request", "response", "decisions"])

  private static let requestLog = object([
    ("total", count), ("held", count), ("matching", count), ("entries", list(reference("RequestLogEntry"))),
  ])

  private static let finding = object(
    [
      ("expectation", ["type": "object"]), ("holds", bool), ("count", count), ("problem", text),
      ("nearest", list(object([("number", count), ("obstacle", text)]))),
    ], required: ["expectation", "holds", "count", "nearest"])

  private static let session = object([
    ("name", nullableText), ("requests", count), ("lastUsed", text), ("overrides", count),
    ("cassette", nullableText), ("mode", ["anyOf": [mode, ["type": "null"]]]),
  ])

  /// Schemas that several operations refer to, by name.
  static let components: [(String, JSONValue)] =
    [
      ("Problem", problem), ("Rule", rule), ("State", state), ("RequestLogEntry", entry),
      ("FollowedRequest", followed),
      ("Decision", decision), ("Exchange", exchange),
      ("ExactMessage", exactMessage), ("Recording", recording), ("WebSocket", webSocket), ("Use", use),
      ("Matching", matching), ("Cassette", cassette), ("Scan", scan), ("Difference", difference),
      ("Comparison", comparison), ("Promotion", promotion),
      ("RequestLog", requestLog),
      ("Finding", finding),
      ("Session", session),
    ] + declarations

  // MARK: Rules

  /// The schemas of rules, taken from that of overrides files, without `file`: clients of the API name no files of
  /// the proxy's machine.
  private static let declarations: [(String, JSONValue)] =
    (Overrides.schema["$defs"]?.members ?? []).map { ($0.name.text, adapted($0.value)) }
    + OverrideKind.allCases.map { ("\($0.word.capitalizedWord)Declaration", reference($0.word)) }
    + [("ExpectedRequest", expectedRequest)]

  private static func adapted(_ schema: JSONValue, of name: String = "") -> JSONValue {
    switch schema {
    case .string where name == "$ref": return target(schema.text ?? "")
    case .object(let members):
      let kept = members.filter { name != "properties" || $0.name.text != "file" }
      return .object(kept.map { JSONMember($0.name, adapted($0.value, of: $0.name.text)) })
    case .array(let items): return .array(items.map { adapted($0) })
    default: return schema
    }
  }

  private static var expectedRequest: JSONValue {
    let count: JSONValue = ["type": "integer", "minimum": 0, "maximum": 2_147_483_647]
    let times: JSONValue = ["oneOf": [count, object([("atLeast", count)]), object([("atMost", count)])]]
    return object(
      [
        ("method", reference("method")), ("path", reference("path")), ("when", reference("when")),
        ("status", ["type": "integer", "minimum": 100, "maximum": 999]), ("source", source),
        ("times", times),
      ], required: ["path"])
  }
}
