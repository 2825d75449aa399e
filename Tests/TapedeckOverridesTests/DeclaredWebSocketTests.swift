import TapedeckHTTP
import Testing

@testable import TapedeckOverrides

private func handshake(_ target: String = "/chat/7", _ others: [(String, String)] = []) throws -> HTTPRequest
{
  var fields = HTTPFields()
  let proof = [("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="), ("Sec-WebSocket-Version", "13")]
  for (name, value) in [("Upgrade", "websocket")] + proof + others { try fields.append(name, value) }
  var request = HTTPRequest(.get, target, fields: fields)
  request.asksForUpgrade = true
  return request
}

private func declared(_ text: String) throws -> DeclaredWebSocket {
  try DeclaredWebSocket(
    try JSONValue(parsing: Array(text.utf8)), at: "routes[0].webSocket", try PathPattern("/chat/{room}"))
}

private func reply(_ socket: DeclaredWebSocket, to message: String) throws -> [WebSocketMessage]? {
  var request = try handshake()
  request.body = Array(message.utf8)
  let asked = OverrideRequest(request)
  let values = RequestValues(request: asked, components: ["room": "7"])
  return socket.reply(to: asked)?.messages.map { $0.rendered(values, to: .text(Array(message.utf8))) }
}

private func text(_ text: String) -> WebSocketMessage { .text(Array(text.utf8)) }

@Suite struct `Declared WebSockets` {
  @Test func `the first reply whose condition is met is sent`() throws {
    let socket = try declared(
      """
      {"replies": [
        {"when": {"json": {"method": "add"}}, "messages": [{"json": {"id": "{{body.id}}", "room": "{{components.room}}"}}]},
        {"when": {"body": {"startsWith": "ping"}}, "messages": ["pong {{body}}", {"base64": "AQI="}]},
        {"when": {"jsonPath": {"$.a.b": 1}}, "close": {"code": 4000, "reason": "enough"}},
        {"messages": [{"echo": true}]}
      ]}
      """)
    #expect(try reply(socket, to: #"{"method": "add", "id": 1.50}"#) == [text(#"{"id":1.50,"room":"7"}"#)])
    #expect(try reply(socket, to: "ping 1") == [text("pong ping 1"), .binary([1, 2])])
    #expect(try reply(socket, to: #"{"a": {"b": 1}}"#) == [])
    #expect(try reply(socket, to: "{{x}}") == [text("{{x}}")])
  }

  @Test func `nothing is said to a message that meets no condition`() throws {
    #expect(try reply(try declared(#"{"replies": [{"when": {"body": "a"}}]}"#), to: "b") == nil)
  }

  @Test(arguments: [
    (#"{"mesages": []}"#, "did you mean messages?"), (#"{"messages": [{}]}"#, "must hold one of"),
    (#"{"messages": [{"text": "a", "echo": true}]}"#, "must hold one of"),
    (#"{"messages": [{"base64": "?"}]}"#, "must be base64"), (#"{"close": 1005}"#, "RFC 6455"),
    (#"{"close": {"code": 2000}}"#, "RFC 6455"), (#"{"subprotocols": ["a b"]}"#, "without spaces"),
    (#"{"messages": ["{{components.house}}"]}"#, "the path has {room}"),
  ])
  func `a mistake is told`(declaration: String, problem: String) throws {
    let error = #expect(throws: OverrideProblem.self) { try declared(declaration) }
    #expect(error?.description.contains(problem) == true, "\(error?.description ?? "")")
  }

  @Test func `a route matches only requests that open one, and lets others pass`() throws {
    let overrides = Overrides()
    try overrides.take(
      #"{"routes": [{"path": "/chat/{room}", "webSocket": {}}, {"path": "/chat/7", "text": "page"}]}"#)
    let (index, state) = (try #require(overrides.routes.index), overrides.routes.state)
    #expect(index.response(to: HTTPRequest(.get, "/chat/8"), state) == nil)
    #expect(index.response(to: try handshake("/chat/8"), state)?.webSocket != nil)
    #expect(index.response(to: HTTPRequest(.get, "/chat/7"), state)?.webSocket == nil)
  }

  @Test func `bodies and sequences do not go with it`() {
    let error = #expect(throws: OverridesFileError.self) {
      try Overrides().take(#"{"routes": [{"path": "/a", "webSocket": {}, "status": 201}]}"#)
    }
    #expect("\(error.map { "\($0)" } ?? "")".contains("does not go with webSocket"))
  }

  @Test func `a fault counts the messages that meet its condition`() throws {
    let value = try JSONValue(
      parsing: Array(
        #"{"from": "client", "when": {"body": {"contains": "x"}}, "after": 1, "on": [2, 4]}"#.utf8))
    let fault = try MessageFault(.drop, value, at: "messages")
    var seen = 0
    let acted = ["x1", "no", "x2", "x3", "x4"].map { fault.acts(on: text($0), from: .client, seen: &seen) }
    #expect(acted == [false, false, true, false, true])
    #expect(!fault.acts(on: text("x5"), from: .server, seen: &seen))
    #expect(!fault.acts(on: .ping([]), from: .client, seen: &seen))
  }
}

/// What a patch with these edits makes of messages: texts, `close CODE`, and numbers of milliseconds before a text.
private func patched(
  _ edits: String, _ said: [(WebSocketReader.Side, String)]
) throws -> (heard: [String], remarks: [String]) {
  let overrides = Overrides()
  try overrides.take(#"{"patches": [{"id": "p", "path": "/chat/{room}", "messages": \#(edits)}]}"#)
  let rule = try #require(overrides.patches.table.entries.first?.rule)
  let decisions = DecisionCollector()
  decisions.patch("p", .applied(remarks: []))
  let patching = Patching([rule], overrides.patches.state, to: .get, decisions)
  let effect = MessagePatching(
    [(rule, rule.limits.generator(beyondDiceOf: 1))], patching, of: try handshake())
  let steps = said.flatMap { effect.steps(for: text($0.1), from: $0.0) }
  effect.ended(wasOpen: true)
  let heard = steps.map { step in
    switch step {
    case .pass(let message, 0): String(decoding: message.bytes ?? [], as: UTF8.self)
    case .pass(let message, let pause):
      "\(pause / 1_000_000) \(String(decoding: message.bytes ?? [], as: UTF8.self))"
    case .close(let close): "close \(close.code)"
    case .malformedFrame: "garbage"
    }
  }
  let remarks = decisions.decisions.all.flatMap { step -> [String] in
    if case .applied(let remarks) = step.reason { remarks } else { [] }
  }
  return (heard, remarks)
}

@Suite struct `Patches of messages` {
  @Test(arguments: [
    (#"[{"json": [{"set": "$.n", "value": 7}]}]"#, [#"{"n":7,"x":"a"}"#, #"{"n":7}"#, "plain"]),
    (#"[{"at": 2, "json": [{"remove": "$.n"}]}]"#, [#"{"n":1,"x":"a"}"#, "{}", "plain"]),
    (#"[{"when": {"jsonPath": {"$.x": "a"}}, "drop": true}]"#, [#"{"n":2}"#, "plain"]),
    (
      #"[{"when": {"body": {"contains": "plain"}}, "replace": {"text": "ai", "with": "u"}}]"#,
      [#"{"n":1,"x":"a"}"#, #"{"n":2}"#, "plun"]
    ),
    (
      #"[{"at": 1, "before": ["{{components.room}}"], "after": [{"text": "b", "delay": 0.5}, {"echo": true}]}]"#,
      ["7", #"{"n":1,"x":"a"}"#, "500 b", #"500 {"n":1,"x":"a"}"#, #"{"n":2}"#, "plain"]
    ),
    (#"[{"at": [2], "close": 4001}]"#, [#"{"n":1,"x":"a"}"#, #"{"n":2}"#, "close 4001", "plain"]),
    (
      #"[{"at": 1, "json": [{"set": "$.n", "value": 5}]}, {"when": {"json": {"n": 5}}, "drop": true}]"#,
      [#"{"n":2}"#, "plain"]
    ),
    (#"[{"from": "client", "drop": true}]"#, [#"{"n":1,"x":"a"}"#, #"{"n":2}"#, "plain"]),
  ])
  func `change what they name and nothing else`(edits: String, heard: [String]) throws {
    let said: [(WebSocketReader.Side, String)] = [
      (.server, #"{"n":1,"x":"a"}"#), (.server, #"{"n":2}"#), (.server, "plain"),
    ]
    #expect(try patched(edits, said).heard == heard)
  }

  @Test func `each side is counted by itself`() throws {
    let edits =
      #"[{"from": "client", "at": 2, "replace": {"text": "b", "with": "B"}}, {"at": 1, "drop": true}]"#
    #expect(
      try patched(edits, [(.client, "a"), (.server, "a"), (.client, "b"), (.server, "b")]).heard
        == ["a", "B", "b"])
  }

  @Test func `what could not be done is told once`() throws {
    let remarks = try patched(
      #"[{"json": [{"remove": "$.none"}]}]"#, [(.server, "{}"), (.server, "{}"), (.server, "text")]
    ).remarks
    #expect(remarks == ["$.none selects nothing", "the body is not JSON"])
    #expect(try patched(#"[{"at": 9, "drop": true}]"#, [(.server, "a")]).remarks == ["no message fits"])
  }

  @Test(arguments: [
    ("[]", "list of edits"), ("[{}]", "changes nothing"), (#"[{"at": 0, "drop": true}]"#, "from 1"),
    (#"[{"drop": true, "json": [{"set": "$", "value": 1}]}]"#, "leaves nothing to edit"),
    (#"[{"from": "origin", "drop": true}]"#, "must be one of"), (#"[{"close": 1005}]"#, "RFC 6455"),
    (#"[{"before": ["{{components.house}}"]}]"#, "the path has {room}"),
    (#"[{"wen": {"body": "x"}, "drop": true}]"#, "did you mean when?"),
  ])
  func `a mistake is told`(edits: String, problem: String) throws {
    let error = #expect(throws: OverridesFileError.self) { try patched(edits, []) }
    #expect("\(error.map { "\($0)" } ?? "")".contains(problem), "\(error.map { "\($0)" } ?? "")")
  }
}
