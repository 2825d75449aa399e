internal import TapedeckHTTP
internal import TapedeckProxy

/// The shapes of what the admin API takes and gives, as JSON Schema 2020-12.
enum AdminSchemas {
  static let text: JSONValue = ["type": "string"]
  static let count: JSONValue = ["type": "integer", "minimum": 0]

  static func object(_ properties: [(String, JSONValue)], required: [String]? = nil, isOpen: Bool = false)
    -> JSONValue
  {
    .object([
      JSONMember("type", "object"),
      JSONMember("properties", .object(properties.map { JSONMember(JSONString($0.0), $0.1) })),
      JSONMember("required", .array((required ?? properties.map(\.0)).map { JSONValue($0) })),
      JSONMember("additionalProperties", JSONValue(isOpen)),
    ])
  }

  static func list(_ items: JSONValue) -> JSONValue { ["type": "array", "items": items] }

  static func nullable(_ type: String) -> JSONValue { ["type": [JSONValue(type), "null"]] }

  static func reference(_ name: String) -> JSONValue { ["$ref": JSONValue("#/components/schemas/\(name)")] }

  static func oneOf(_ words: [String]) -> JSONValue {
    ["type": "string", "enum": .array(words.map { JSONValue($0) })]
  }

  static let problem = object(
    [
      ("title", text), ("status", ["type": "integer"]), ("detail", text), ("place", text),
    ], required: ["title", "status", "detail"])

  static let rule = object([
    ("id", text), ("declaration", ["type": "object"]), ("fromFile", ["type": "boolean"]), ("seen", count),
    ("used", count), ("unchanged", count),
  ])

  static let mode = oneOf(RecordMode.allCases.map(\.rawValue))

  static let deck = object([
    ("status", oneOf(["ok"])), ("url", text), ("mode", mode), ("upstream", nullable("string")),
    ("cassette", nullable("string")), ("interactions", object([("recorded", count), ("replayable", count)])),
    ("sessions", count), ("requests", count), ("unmatched", count),
  ])

  static let message = object(
    [("headers", list(list(text))), ("body", [:]), ("bodyBytes", count), ("encoding", oneOf(["base64"]))],
    required: ["headers", "bodyBytes"])

  static let summary: [(String, JSONValue)] = [
    ("number", count), ("started", text), ("milliseconds", ["type": "number", "minimum": 0]),
    ("method", text),
    ("target", text), ("status", ["type": "integer"]), ("source", text), ("why", text),
    ("cutShort", ["type": "boolean"]),
  ]

  /// Only there where the exchange failed.
  private static let failure: [(String, JSONValue)] = [
    ("failure", object([("cause", text), ("reason", text)]))
  ]

  static let entry = object(summary + failure, required: summary.map(\.0))

  static let decision = object([
    ("link", text), ("outcome", oneOf(["answered", "applied", "declined"])), ("why", text),
  ])

  static let exchange = object(
    summary + failure + [
      ("request", message), ("response", message), ("decisions", list(reference("Decision"))),
      ("nearest", [:]),
    ],
    required: summary.map(\.0) + ["request", "response", "decisions"])

  static let journal = object([
    ("total", count), ("held", count), ("matching", count), ("entries", list(reference("RequestLogEntry"))),
  ])

  static let finding = object(
    [
      ("expectation", ["type": "object"]), ("holds", ["type": "boolean"]), ("count", count),
      ("problem", text),
      ("nearest", list(object([("number", count), ("obstacle", text)]))),
    ], required: ["expectation", "holds", "count", "nearest"])

  static let session = object([
    ("name", nullable("string")), ("requests", count), ("lastUsed", text), ("overrides", count),
  ])

  /// What several operations speak of, by name.
  static let components: [(String, JSONValue)] =
    [
      ("Problem", problem), ("Rule", rule), ("Deck", deck), ("RequestLogEntry", entry),
      ("Decision", decision),
      ("Exchange", exchange), ("Journal", journal), ("Finding", finding), ("Session", session),
    ] + DeclarationSchemas.components
}
