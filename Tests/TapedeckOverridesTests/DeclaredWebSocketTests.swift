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
