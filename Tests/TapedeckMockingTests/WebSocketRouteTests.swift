import TapedeckHTTP
import TapedeckMocking
import Testing

private func handshake(_ target: String, offering: String? = nil) throws -> Request {
  var fields = HTTPFields()
  try fields.append("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
  try fields.append("Upgrade", "websocket")
  if let offering { try fields.append("Sec-WebSocket-Protocol", offering) }
  var request = HTTPRequest(.get, target, fields: fields)
  request.asksForUpgrade = true
  return Request(http: request)
}

@Suite struct `Routes of WebSockets` {
  @Test func `match what opens one, beside a page at the same path`() throws {
    let router = Router()
    router.webSocket("/chat/{room}") { _ in }
    router.get("/chat/{room}") { _ in ["page": true] }
    let match = try #require(router.match(try handshake("/chat/7"), at: .server))
    #expect(match.webSocket != nil)
    #expect(match.request.components == ["room": "7"])
    #expect(match.routeDescription == "WebSocket /chat/{room}")
    #expect(router.match(Request("/chat/7"), at: .server)?.webSocket == nil)
    // In-process, nothing can open one.
    #expect(router.match(try handshake("/chat/7"), at: .url)?.webSocket == nil)
    #expect(router.count == 2)
  }

  @Test func `agree on the first subprotocol that the client offers`() async throws {
    let router = Router()
    router.webSocket("/a", subprotocols: ["v2", "v1"]) { _ in }
    for (offer, chosen) in [("v1, v2", "v2"), ("v1", "v1"), ("v3", nil), (nil, nil)] as [(String?, String?)] {
      let match = try #require(router.match(try handshake("/a", offering: offer), at: .server))
      guard case .response(let response) = await match.response(next: nil) else {
        Issue.record("no response")
        return
      }
      #expect(response.head.status == 101)
      #expect(response.head.fields.text("sec-websocket-protocol") == chosen)
    }
  }

  @Test func `ask middleware first, which may refuse`() async throws {
    let router = Router()
    router.use { request, next in
      request.query("token") == nil ? Response(statusCode: 401) : try await next(request)
    }
    router.webSocket("/a") { _ in }
    for (target, status) in [("/a", 401), ("/a?token=x", 101)] {
      let match = try #require(router.match(try handshake(target), at: .server))
      guard case .response(let response) = await match.response(next: nil) else {
        Issue.record("no response")
        return
      }
      #expect(response.head.status == status)
    }
  }

  @Test func `no other handler can switch protocols`() throws {
    let router = Router()
    router.get("/a") { _ in Response(statusCode: 101) }
    let match = try #require(router.match(Request("/a"), at: .server))
    guard case .response(let response) = match.response() else {
      Issue.record("no response")
      return
    }
    #expect(response.head.status == 500)
  }
}
