import Foundation
import FoundationNetworking
import TapedeckHTTP
import TapedeckInterception
import TapedeckMocking
import TapedeckProxy
import Testing

private let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()

/// Where a request comes in.
private enum Door: CaseIterable, Sendable {
  /// A proxy in front of a cassette.
  case proxy
  /// A local mock server: nothing stands behind the routes.
  case server
  case interception
}

/// What is asked at every door, and has to be answered alike.
private struct Row: Sendable, CustomTestStringConvertible {
  var method = "GET"
  var path: String
  var headers: [String: String] = [:]
  var body: String?
  var status = 200
  var answer: String
  var contentType: String? = "application/json"
  var fields: [String: String] = [:]
  var testDescription: String { "\(method) \(path)" }
}

private struct User: Storable, Serializable {
  let id: String
  let firstName: String

  init(id: String, store: Store) {
    self.id = id
    firstName = "User \(id)"
  }
}

private struct Note: Codable, Sendable {
  var title: String
}

private struct Broken: Error {}

/// One router, made anew for each door: it has a store, and answers that come in turn.
private func makeRouter(_ base: String) -> Router {
  let router = Router(base)
  let store = Store()
  store.create(User.self, number: 3)
  router.get("/literal") { _ in ["id": 2, "name": "Kakapo"] }
  router.get("/users") { _ in store.findAll(User.self) }
  router.get("/users/me") { _ in ["me": true] }
  router.get("/users/:id") { request in store.find(User.self, id: request.components["id"] ?? "") }
  router.get("/snake/:id") { request in
    SnakecaseTransformer(store.find(User.self, id: request.components["id"] ?? ""))
  }
  router.get("/files/*path") { $0.components }
  router.get("/search?q=:text") { $0.components }
  router.get("/guarded", handler: says("open")).headers(["X-Mark": "yes"])
  router.get("/guarded") { _ in Response(statusCode: 403, text: "shut") }
  router.post("/notes") { request in
    let note = try request.decode(Note.self)
    return Response(statusCode: 201, json: ["title": JSONValue(note.title)], headers: ["X-Made": "1"])
  }
  router.put("/echo") { Response(data: $0.httpBody ?? [], contentType: $0.header("Content-Type") ?? "") }
  router.del("/users/:id") { _ in Response(statusCode: 204) }
  router.head("/users") { _ in Response(statusCode: 200, text: "never seen") }
  router.patch("/slow") { request in
    try await Task.sleep(for: .milliseconds(2))
    return ["slow": request.text]
  }.latency(0.01)
  router.get("/nothing") { _ in nil }
  router.get("/fails") { _ in throw Broken() }
  router.get("/stream") { _ in
    Response(contentType: "text/plain", stream: .texts(["one ", "two"], interval: .milliseconds(2)))
  }
  router.get("/turns", sequence: [Response(statusCode: 503), Response(json: ["turn": 2])])
  router.get("/teapot") { _ in
    Response(statusCode: 418, text: "short", headers: ["X-Twice": "a", "X-Twice": "b"])
  }
  return router
}

private let rows: [Row] = [
  Row(path: "/literal", answer: #"{"id":2,"name":"Kakapo"}"#),
  Row(
    path: "/users",
    answer:
      #"[{"id":"0","firstName":"User 0"},{"id":"1","firstName":"User 1"},{"id":"2","firstName":"User 2"}]"#),
  Row(path: "/users/me", answer: #"{"me":true}"#),
  Row(path: "/users/1/?x=1", answer: #"{"id":"1","firstName":"User 1"}"#),
  Row(path: "/users/9", answer: ""),
  Row(path: "/snake/1", answer: #"{"id":"1","first_name":"User 1"}"#),
  Row(path: "/files/a/b%20c", answer: #"{"path":"a/b c"}"#),
  Row(path: "/search?p=1&q=%C3%A9", answer: #"{"text":"é"}"#),
  Row(path: "/guarded", headers: ["x-mark": "yes"], answer: "open", contentType: "text/plain; charset=utf-8"),
  Row(path: "/guarded", status: 403, answer: "shut", contentType: "text/plain; charset=utf-8"),
  Row(
    method: "POST", path: "/notes", headers: ["Content-Type": "application/json"], body: #"{"title":"t"}"#,
    status: 201, answer: #"{"title":"t"}"#, fields: ["X-Made": "1"]),
  Row(
    method: "PUT", path: "/echo", headers: ["Content-Type": "text/x"], body: "a body", answer: "a body",
    contentType: "text/x"),
  Row(method: "DELETE", path: "/users/1", status: 204, answer: "", contentType: nil),
  Row(method: "HEAD", path: "/users", answer: "", contentType: "text/plain; charset=utf-8"),
  Row(method: "PATCH", path: "/slow", body: "b", answer: #"{"slow":"b"}"#),
  Row(path: "/nothing", answer: ""),
  Row(path: "/stream", answer: "one two", contentType: "text/plain"),
  Row(path: "/teapot", status: 418, answer: "short", contentType: "text/plain; charset=utf-8"),
]

/// A door, open.
private final class OpenDoor: Sendable {
  let url: String
  let session: URLSession
  private let proxy: ProxyServer?
  private let interception: Interception?

  init(_ door: Door, _ prepare: (Router) -> Void = { _ in }) throws {
    let router = makeRouter("http://www.test.com")
    prepare(router)
    if door == .interception {
      let interception = Interception(unmatched: .fail)
      interception.add(router)
      url = "http://www.test.com"
      session = URLSession(configuration: interception.configuration)
      (proxy, self.interception) = (nil, interception)
      return
    }
    var configuration = ProxyConfiguration()
    configuration.listen = "127.0.0.1:0"
    configuration.threads = 1
    configuration.router = router
    if door == .proxy { configuration.cassette = repository.appending(path: "Cassettes/httpbin").path }
    let proxy = try ProxyServer(configuration)
    url = proxy.baseURL
    session = URLSession(configuration: .ephemeral)
    (self.proxy, interception) = (proxy, nil)
  }

  deinit { _ = try? proxy?.stop(graceMilliseconds: 0) }
}

/// Fields that belong to a connection, which interception has none of.
private let framing = ["connection", "content-length", "date", "transfer-encoding", "keep-alive"]

private func fields(_ response: HTTPURLResponse) -> [String: String] {
  var fields: [String: String] = [:]
  for (name, value) in response.allHeaderFields {
    let name = "\(name)".lowercased()
    if !framing.contains(name) { fields[name] = "\(value)" }
  }
  return fields
}

@Suite struct `One table, three doors` {
  @Test(arguments: rows, Door.allCases)
  private func `K229 each door answers alike`(_ row: Row, _ door: Door) async throws {
    let open = try OpenDoor(door)
    let heard = try await open.session.ask(
      open.url + row.path, row.method, headers: row.headers, body: row.body.map { Data($0.utf8) })
    #expect(heard.status == row.status)
    #expect(heard.body == row.answer)
    var wanted = row.fields
    wanted["Content-Type"] = row.contentType
    if row.path == "/teapot" { wanted["X-Twice"] = "a, b" }
    #expect(fields(heard.response) == Dictionary(uniqueKeysWithValues: wanted.map { ($0.lowercased(), $1) }))
  }

  @Test(arguments: Door.allCases)
  private func `K109 a handler that throws answers 500 and says where`(_ door: Door) async throws {
    let open = try OpenDoor(door)
    let heard = try await open.session.ask("\(open.url)/fails")
    #expect(heard.status == 500)
    #expect(heard.field("Content-Type") == "application/problem+json")
    #expect(heard.body.contains("GET \(open.url)/fails: the handler of GET /fails failed: Broken()"))
  }

  @Test(arguments: Door.allCases)
  private func `K88 middleware looks, replaces, answers by itself and changes answers`(_ door: Door)
    async throws
  {
    let notes = Notes()
    let open = try OpenDoor(door) { router in
      router.use { request, next in
        notes.add("\(request.method) \(request.path)")
        var response = try await next(request)
        response.headers["X-Outer"] = "\(response.statusCode)"
        return response
      }
      router.use { request, next in
        if request.query("as") == "shut" { return Response(statusCode: 503) }
        var changed = request
        changed.http.body += Array("!".utf8)
        do { return try await next(changed) } catch is Broken { return ["caught": true] }
      }
    }
    let echo = try await open.session.ask(
      "\(open.url)/echo", "PUT", headers: ["Content-Type": "a/b"], body: Data("b".utf8))
    #expect((echo.status, echo.body) == (200, "b!"))
    #expect(echo.field("X-Outer") == "200")
    let shut = try await open.session.ask("\(open.url)/users?as=shut")
    #expect((shut.status, shut.field("X-Outer")) == (503, "503"))
    #expect(try await open.session.text("\(open.url)/fails") == #"{"caught":true}"#)
    #expect(try await open.session.text("\(open.url)/stream") == "one two")
    #expect(notes.all == ["PUT /echo", "GET /users", "GET /fails", "GET /stream"])
  }

  @Test(arguments: Door.allCases)
  private func `K111 answers come in turn`(_ door: Door) async throws {
    let open = try OpenDoor(door)
    var statuses: [Int] = []
    for _ in 0..<3 { statuses.append(try await open.session.ask("\(open.url)/turns").status) }
    #expect(statuses == [503, 200, 200])
  }
}
