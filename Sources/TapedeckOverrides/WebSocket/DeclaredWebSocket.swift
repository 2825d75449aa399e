internal import TapedeckHTTP
internal import TapedeckMocking

/// A WebSocket declared in JSON: `subprotocols`, the `messages` that are sent when it opens, `replies` to what the
/// client says, and `close`.
struct DeclaredWebSocket: Sendable {
  /// What is said at one occasion: messages, and perhaps how the WebSocket closes after them.
  struct Script: Sendable {
    let messages: [DeclaredMessage]
    let close: DeclaredClose?

    init(_ reader: inout RuleReader, _ path: PathPattern) throws(OverrideProblem) {
      let items = try reader.list("messages") ?? []
      messages = try items.read(at: reader.place(of: "messages")) { item, place throws(OverrideProblem) in
        try DeclaredMessage(item, at: place, path)
      }
      close = try reader.read("close", DeclaredClose.init)
    }
  }

  private struct Reply: Sendable {
    let condition: BodyCondition
    let script: Script

    init(_ value: JSONValue, at place: String, _ path: PathPattern) throws(OverrideProblem) {
      var reader = try RuleReader(value, at: place)
      var when = try reader.object("when")
      condition = try BodyCondition(&when)
      try when?.finish()
      script = try Script(&reader, path)
      try reader.finish()
    }
  }

  let subprotocols: [String]
  let opening: Script
  private let replies: [Reply]

  init(_ value: JSONValue, at place: String, _ path: PathPattern) throws(OverrideProblem) {
    var reader = try RuleReader(value, at: place)
    subprotocols = try reader.texts("subprotocols") ?? []
    guard subprotocols.allSatisfy(HTTPMethod.isValid) else {
      throw reader.problem("subprotocols", "must be a list of names without spaces")
    }
    opening = try Script(&reader, path)
    replies = try (reader.list("replies") ?? []).read(at: reader.place(of: "replies")) {
      item, place throws(OverrideProblem) in try Reply(item, at: place, path)
    }
    try reader.finish()
  }

  /// What is said to a message: the first reply whose condition it meets; `nil` for none.
  func reply(to message: OverrideRequest) -> Script? {
    replies.first { $0.condition.obstacle(message) == nil }?.script
  }
}

/// A message: `json`, `text`, `base64` or `echo` (the one that it replies to), after a `delay`. In `json` and `text`, templates name the request, and with
/// `body` the message that they reply to.
struct DeclaredMessage: Sendable {
  private enum Content: Sendable {
    case bytes(WebSocketMessage)
    case json(JSONTemplate)
    case text(Template)
    case echo
  }

  private let content: Content
  let delay: RuleDelay?

  init(_ value: JSONValue, at place: String, _ path: PathPattern) throws(OverrideProblem) {
    // A text by itself is a message.
    var reader = try RuleReader(
      value.text == nil ? value : .object([JSONMember("text", value)]), at: place)
    let templates = RuleTemplates(areOn: try reader.bool("template") ?? true, path: path)
    let json = try reader.read("json", templates.json)
    let text = try reader.text("text")
    let base64 = try reader.text("base64")
    let echoes = try reader.bool("echo") == true
    delay = try reader.read("delay", RuleDelay.init)
    try reader.finish()
    switch (json, text, base64, echoes) {
    case (let json?, nil, nil, false): content = .json(json)
    case (nil, nil, nil, true): content = .echo
    case (nil, let text?, nil, false):
      let template = try templates.template(text, at: reader.place(of: "text"))
      content = template.map { .text($0) } ?? .bytes(.text(Array(text.utf8)))
    case (nil, nil, let base64?, false):
      guard let bytes = Base64.decode(Array(base64.utf8)) else {
        throw reader.problem("base64", "must be base64")
      }
      content = .bytes(.binary(bytes))
    default: throw OverrideProblem(place, "must hold one of json, text, base64 and echo")
    }
  }

  /// - Parameter message: the one that it replies to; `nil` when the WebSocket opens.
  func rendered(_ values: RequestValues, to message: WebSocketMessage?) -> WebSocketMessage {
    switch content {
    case .echo: message ?? .text([])
    case .bytes(let message): message
    case .json(let template): .text(template.rendered(values).bytes(.compact))
    case .text(let template): .text(Array(template.rendered(values.value).utf8))
    }
  }
}

/// How a WebSocket closes: a code, or `{"code": 4000, "reason": "…"}`.
struct DeclaredClose: Sendable, Equatable {
  let code: Int
  let reason: String

  init(_ value: JSONValue, at place: String) throws(OverrideProblem) {
    var reader = try RuleReader(
      value.int == nil ? value : .object([JSONMember("code", value)]), at: place)
    try self.init(&reader, standard: 1000)
    try reader.finish()
  }

  /// Reads `code` and `reason`.
  init(_ reader: inout RuleReader, standard: Int) throws(OverrideProblem) {
    code = try reader.int("code", in: 1000...4999) ?? standard
    guard WebSocketMessage.maySend(code: code) else {
      throw reader.problem("code", "must be 1000 to 1003, 1007 to 1014, or 3000 to 4999 (RFC 6455 §7.4)")
    }
    reason = try reader.text("reason") ?? ""
    guard reason.utf8.count <= 123 else { throw reader.problem("reason", "must have at most 123 bytes") }
  }
}
