import Foundation
import FoundationNetworking
import Tapedeck
import Testing

@Suite struct `N. Mock server, beyond Feather` {
  @Test func `K230 a range of ports is tried in order`() throws {
    // Eleven ports in a row that are free now.
    let base = try #require(
      (0..<50).lazy.map { 20_000 + $0 * 300 }.first { base in
        (base...(base + 10)).allSatisfy { port in
          let probe = Feather(port: port)
          defer { probe.pluck() }
          return (try? probe.startServer()) != nil
        }
      })
    let servers = try (0..<11).map { _ in
      try Running(feather: Feather(portRange: base...(base + 10)))
    }
    #expect(servers.map(\.feather.port) == Array(base...(base + 10)))
    #expect {
      try Feather(portRange: base...(base + 10)).startServer()
    } throws: {
      "\($0)".contains("\(base)") && "\($0)".contains("\(base + 10)")
    }
  }

  @Test func `K231 simple, custom, template, redirect, timeout and collection`() async throws {
    let server = try Running([
      .collection(routes: [
        .simple(urlPath: "/simple", filename: "get_user_200.json"),
        .collection(routes: [
          .custom(method: .post, urlPath: "/custom", responseHeaders: ["X-Mark": "1"], code: 202)
        ]),
      ]),
      .template(
        urlPath: "/hello", filename: "hello.json", templateInfo: ["name": "Ada", "items": ["a", "b"]]),
      .redirect(urlPath: "/old", destination: "/simple"),
      .timeout(urlPath: "/slow", timeoutInSeconds: 60),
    ])
    #expect(try await server.ask("simple").body.contains("from a file"))
    let custom = try await server.ask("custom", "POST")
    #expect((custom.status, custom.field("X-Mark")) == (202, "1"))
    let hello = try await server.ask("hello")
    #expect(hello.body == #"{"greeting": "Hello Ada", "items": ["a","b", null]}"#)
    #expect(hello.field("Content-Type") == "application/json")
    #expect(try await server.ask("old").body.contains("from a file"), "the client follows")
    var slow = URLRequest(url: try #require(URL(string: "\(server.url)/slow")))
    slow.timeoutInterval = 0.5
    let error = await #expect(throws: URLError.self) { try await URLSession.shared.data(for: slow) }
    #expect(error?.code == .timedOut)
    #expect(try await server.ask("simple").status == 200, "nobody else waits")
  }

  @Test func `K232 literal query values match only themselves, placeholders any`() async throws {
    let server = try Running([
      .custom(urlPath: "/list", query: ["page": "1"], content: .text("first")),
      .custom(urlPath: "/list", query: ["page": "2"], content: .text("second")),
      .custom(urlPath: "/list", query: ["search": ":text"], content: .text("found")),
      .custom(urlPath: "/list", query: ["name": "a b&c"], content: .text("encoded")),
    ])
    #expect(try await server.ask("list?page=1").body == "first")
    #expect(try await server.ask("list?page=2").body == "second")
    #expect(try await server.ask("list?search=any").body == "found")
    #expect(try await server.ask("list?name=a%20b%26c").body == "encoded")
    #expect(try await server.ask("list?page=3").status == 404)
  }

  @Test func `K233 a route that asks for a query does not answer without it`() async throws {
    let server = try Running([.custom(urlPath: "/list", query: ["page": ":n"])])
    #expect(try await server.ask("list").status == 404)
    #expect(try await server.ask("list?other=1").status == 404)
    #expect(try await server.ask("list?page=1").status == 200)
  }

  @Test func `K234 a route that asks for header fields wants all of them`() async throws {
    let route = MockRoute.custom(urlPath: "/list", requestHeaders: ["X-Mark": "a", "X-Other": "*"])
    let server = try Running([route])
    #expect(try await server.ask("list", headers: ["x-mark": "a", "x-other": "any"]).status == 200)
    #expect(try await server.ask("list", headers: ["X-Mark": "a"]).status == 404)
    #expect(try await server.ask("list", headers: ["X-Mark": "b", "X-Other": "1"]).status == 404)
    #expect(try await server.ask("list").status == 404)
  }

  @Test func `K235 header fields of a route are sent`() async throws {
    let server = try Running([
      .custom(
        urlPath: "/list", responseHeaders: ["X-Mark": "1", "Content-Type": "text/csv"], content: .text("a,b"))
    ])
    let heard = try await server.ask("list")
    #expect((heard.field("X-Mark"), heard.field("Content-Type"), heard.body) == ("1", "text/csv", "a,b"))
  }

  @Test func `K236 a route with nothing in it answers 200 and nothing`() async throws {
    let heard = try await Running([.simple(urlPath: "/empty")]).ask("empty")
    #expect((heard.status, heard.body) == (200, ""))
  }

  @Test func `K237 path variables, literals beside them, and an empty path`() async throws {
    let server = try Running([
      .collection(routes: [
        .init(method: .get, endpoint: "users/:id", code: 200, json: "1"),
        .init(method: .get, endpoint: "users/me", code: 200, json: "2"),
        .init(method: .get, endpoint: "posts/{post}/text", code: 200, json: "3"),
        .init(method: .get, endpoint: "", code: 200, json: "4"),
      ])
    ])
    #expect(try await server.ask("users/7").body == "1")
    #expect(try await server.ask("users/me").body == "2")
    #expect(try await server.ask("posts/x/text").body == "3")
    #expect(try await server.ask("").status == 404)
    #expect(server.feather.routes.count == 3)
  }

  @Test func `K238 routes are equal that are for the same requests`() {
    let plain = MockRoute(method: .get, endpoint: "user", code: 200, json: "1")
    #expect(plain == .simple(urlPath: "/user", code: 500, filename: "x"))
    #expect(plain == .redirect(urlPath: "/user", destination: "/other"))
    #expect(plain == .timeout(urlPath: "/user", timeoutInSeconds: 3))
    #expect(plain == .template(urlPath: "user", filename: "a", templateInfo: [:]))
    #expect(plain != .simple(method: .post, urlPath: "/user"))
    #expect(plain != .custom(urlPath: "/user", query: ["a": "1"]))
    #expect(plain != .custom(urlPath: "/user", requestHeaders: ["X-Mark": "1"]))
    #expect(
      MockRoute.custom(urlPath: "/a/:b", query: ["q": ":x"], requestHeaders: ["X-Mark": "1"], code: 404)
        == .custom(urlPath: "/a/{c}", query: ["q": "{y}"], requestHeaders: ["x-mark": "1"]))
    #expect(MockRoute.collection(routes: [plain]) == .collection(routes: [.simple(urlPath: "user")]))
    #expect(MockRoute.collection(routes: [plain]) != plain)
    #expect(Set([plain, .simple(urlPath: "/user/"), .simple(urlPath: "/x")]).count == 2)
  }

  /// The rule of an overrides file for each kind of route.
  private static let rules = #"""
    {"routes": [
      {"method": "PUT", "path": "/user", "status": 201, "json": {"name": "John", "age": 1.5, "tags": [true, null]}},
      {"path": "/file", "file": "get_user_200.json"},
      {"path": "/users", "when": {"query": {"page": true}, "headers": {"X-Mark": true}},
       "headers": {"X-Total": "2"}, "status": 202, "text": "custom"},
      {"path": "/hello/{name}", "text": "Hello {{components.name}}"},
      {"path": "/old", "status": 307, "headers": {"Location": "/file"}},
      {"path": "/slow", "status": 504, "delay": 0.2}
    ]}
    """#

  @Test func `K239 each kind of route is a rule of an overrides file`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tapedeck-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = URL(filePath: mocks).appending(path: "get_user_200.json")
    try FileManager.default.copyItem(at: file, to: folder.appending(path: "get_user_200.json"))
    try Data(Self.rules.utf8).write(to: folder.appending(path: "routes.json"))
    var configuration = ProxyConfiguration()
    configuration.listen = "127.0.0.1:0"
    configuration.overridesFile = folder.appending(path: "routes.json").path
    let server = try ProxyServer(configuration)
    defer { _ = try? server.stop() }
    let put = try await ask("\(server.baseURL)/user", "PUT")
    #expect((put.status, put.body) == (201, #"{"name":"John","age":1.5,"tags":[true,null]}"#))
    #expect(try await ask("\(server.baseURL)/file").body.contains("from a file"))
    let custom = try await ask("\(server.baseURL)/users?page=7", headers: ["X-Mark": "1"])
    #expect((custom.status, custom.body, custom.field("X-Total")) == (202, "custom", "2"))
    #expect(try await ask("\(server.baseURL)/users?page=7").status != 202)
    #expect(try await ask("\(server.baseURL)/hello/Ada").body == "Hello Ada")
    #expect(try await ask("\(server.baseURL)/old").body.contains("from a file"), "the client follows")
    #expect(try await ask("\(server.baseURL)/slow").status == 504)
  }

  @Test func `K240 template values of every kind are in the text`() async throws {
    let text = "{{text}} {{flag}} {{int}} {{double}} {{#list}}<{{.}}>{{/list}} {{object.b.c}} [{{nothing}}]"
    let values: JSONValue = [
      "text": "a", "flag": true, "int": 7, "double": 1.5, "list": ["a", 1, false],
      "object": ["b": ["c": 1]], "nothing": nil,
    ]
    let route = MockRoute.template(urlPath: "/t", text: text, templateInfo: values)
    #expect(try await Running([route]).ask("t").body == "a true 7 1.5 <a><1><false> 1 []")
  }

  @Test func `K110 a body comes from a template file`() async throws {
    let file = "\(NSTemporaryDirectory())tapedeck-\(UUID().uuidString).user.json.mustache"
    defer { try? FileManager.default.removeItem(atPath: file) }
    try Data(#"{"name": "{{name}}", "tags": [{{#tags}}"{{.}}",{{/tags}} null]}"#.utf8).write(
      to: URL(filePath: file))
    let template = try Template(file: file)
    let router = Router()
    router.get("/users/{name}") { request in
      Response(
        template: template, values: ["name": JSONValue(request.components["name"] ?? ""), "tags": ["a\"b"]])
    }
    let response = try #require(try await router.respond(to: Request("/users/Kakapo")))
    #expect(try JSONValue(parsing: response.body) == ["name": "Kakapo", "tags": ["a\"b", nil]])
    #expect(HeaderFields(response.head.fields)["content-type"] == "application/json")
  }

  @Test func `a file is a body as it is`() throws {
    let file = "\(NSTemporaryDirectory())tapedeck-\(UUID().uuidString).logo.PNG"
    defer { try? FileManager.default.removeItem(atPath: file) }
    try Data([0x89, 0, 0xFF]).write(to: URL(filePath: file))
    let response = try Response(file: file)
    #expect(response.data == [0x89, 0, 0xFF])
    #expect(throws: Response.FileError.self) { try Response(file: "/none.png") }
    #expect { try Template(file: "/none") } throws: { "\($0)".hasSuffix("none: No such file or directory") }
  }

  @Test(arguments: ["GET", "POST", "DELETE", "PURGE"])
  func `K241 middleware alone makes the whole answer`(method: String) async throws {
    let server = try Running()
    server.feather.use { request, next in
      if request.path == "/next" { return try await next(request) }
      return Response(
        statusCode: 299, text: "\(request.method.rawValue) \(request.path) \(request.text)",
        headers: ["X-Mark": "1"])
    }
    let heard = try await server.ask("any/path", method, body: method == "POST" ? "body" : nil)
    #expect((heard.status, heard.field("X-Mark")) == (299, "1"))
    #expect(heard.body == "\(method) /any/path \(method == "POST" ? "body" : "")")
    #expect(try await server.ask("next", method).status == 404)
  }

  @Test func `K241 middleware changes what routes answer`() async throws {
    let server = try Running([MockRoute(method: .get, endpoint: "user", code: 200, json: "1")])
    server.feather.use { request, next in
      var response = try await next(request)
      response.headers["X-Mark"] = "changed"
      return response
    }
    let heard = try await server.ask("user")
    #expect((heard.body, heard.field("X-Mark")) == ("1", "changed"))
  }

  @Test func `K242 lines over TCP beside HTTP`() async throws {
    let server = try Running([MockRoute(method: .get, endpoint: "user", code: 200, json: "1")])
    let echo = try LineServer()
    let quiet = try LineServer(host: "127.0.0.1") { line in line == "PING" ? "PONG" : nil }
    #expect(try netcat(echo.port, "{\"a\":1}\r\nsecond\nthird") == "{\"a\":1}\nsecond\nthird\n")
    #expect(try netcat(quiet.port, "LOG x\nPING\n") == "PONG\n")
    #expect(echo.lines == [#"{"a":1}"#, "second", "third"])
    #expect(quiet.lines == ["LOG x", "PING"])
    #expect(try await server.ask("user").body == "1")
    let long = String(repeating: "x", count: 300_000)
    #expect(try netcat(echo.port, "\(long)\n\(long)\n").utf8.count == 600_002)
    echo.stop()
    let again = try LineServer(port: echo.port)
    #expect(try netcat(again.port, "again\n") == "again\n")
    #expect(throws: FeatherError.self) { try LineServer(port: again.port) }
    again.stop()
    quiet.stop()
  }

  /// What a client over TCP hears that says this and then no more.
  private func netcat(_ port: Int, _ text: String) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    let script = """
      import socket, sys, threading
      client = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 20)
      def say():
          client.sendall(sys.stdin.buffer.read())
          client.shutdown(socket.SHUT_WR)
      threading.Thread(target=say).start()
      while heard := client.recv(65536): sys.stdout.buffer.write(heard)
      """
    process.arguments = ["python3", "-c", script, "\(port)"]
    let (input, output) = (Pipe(), Pipe())
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    let writer = input.fileHandleForWriting
    Thread.detachNewThread {
      writer.write(Data(text.utf8))
      try? writer.close()
    }
    let heard = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: heard, as: UTF8.self)
  }

  @Test func `K243 live traffic is recorded and replayed behind the mocks`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tapedeck-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let cassette = folder.appending(path: "session").path

    // The backend, as it is live.
    let backend = try Running([
      MockRoute(method: .get, endpoint: "users", code: 200, json: #"[{"id": 1}]"#),
      MockRoute(method: .get, endpoint: "users/1", code: 200, json: #"{"id": 1}"#),
    ])
    backend.feather.router.get("/count", sequence: ["1", "2"].map { Response(text: $0) })

    // A session with it, recorded to files.
    var recording = ProxyConfiguration()
    recording.listen = "127.0.0.1:0"
    recording.upstream = backend.feather.baseUrl
    recording.mode = .all
    recording.cassette = cassette
    let recorder = try ProxyServer(recording)
    for path in ["users", "users/1", "count", "count"] { _ = try await ask("\(recorder.baseURL)/\(path)") }
    #expect(try recorder.stop().recorded == 4)
    backend.feather.pluck()

    // The backend is gone; a test mocks one route and has the others from the files.
    let feather = Feather(port: 0, cassette: cassette)
    try feather.startServer(with: [MockRoute(method: .get, endpoint: "users", code: 503, json: "{}")])
    defer { feather.pluck() }
    #expect(try await ask("\(feather.baseUrl)/users").status == 503)
    #expect(try await ask("\(feather.baseUrl)/users/1").body == #"{"id": 1}"#)
    #expect(try await ask("\(feather.baseUrl)/count").body == "1")
    #expect(try await ask("\(feather.baseUrl)/count").body == "2")
    #expect(try await ask("\(feather.baseUrl)/never").status == 404)
    #expect(try FileManager.default.contentsOfDirectory(atPath: cassette).count == 5)
  }
}
