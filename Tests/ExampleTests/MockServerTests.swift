import Foundation
import FoundationNetworking
import Tapedeck
import Testing

@Suite struct `M. Mock server` {
  @Test func `K216 host and port, with defaults, and a base URL before the start`() {
    #expect(Feather().baseUrl == "http://localhost:8080")
    #expect(Feather(host: "127.0.0.1", port: 9).baseUrl == "http://127.0.0.1:9")
    let feather = Feather(port: 0)
    #expect(feather.port > 0)
    #expect(feather.baseUrl == "http://localhost:\(feather.port)")
  }

  @Test func `K217 routes from JSON text, an object, and a file`() async throws {
    let text = "{\n  \"name\": 1.0}"
    let server = try Running([
      MockRoute(method: .get, endpoint: "text", code: 200, json: text),
      MockRoute(method: .get, endpoint: "/object", code: 200, object: MockUser.mock()),
      MockRoute(method: .get, endpoint: "file", code: 200, filename: "get_user_200"),
    ])
    #expect(try await server.ask("text").body == text)
    let object = try await server.ask("object").body
    #expect(try JSONDecoder().decode(MockUser.self, from: Data(object.utf8)) == MockUser.mock())
    #expect(try await server.ask("file").body == "{\"name\": \"from a file\"}\n")
  }

  @Test(arguments: [.get, .post, .put, .patch, .delete] as [MockRoute.HTTPMethod])
  func `K218 every method answers with the body that was declared`(method: MockRoute.HTTPMethod) async throws
  {
    let route = MockRoute(method: method, endpoint: "a/b", code: 200, object: ["method": method.rawValue])
    let server = try Running([route])
    #expect(try await server.ask("a/b", method.rawValue).body == #"{"method":"\#(method.rawValue)"}"#)
    let other = method == .get ? "POST" : "GET"
    #expect(try await server.ask("a/b", other).status == 404)
  }

  @Test func `K219 every status is honoured, with its body or, where there may be none, without`() throws {
    let routes = (200...599).map { MockRoute(method: .get, endpoint: "\($0)", code: $0, json: "{}") }
    let server = try Running(routes)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/curl")
    process.arguments = ["-s", "-w", " %{http_code}\n", "\(server.url)/[200-599]"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let heard = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let expected = (200...599).map { "\([204, 304].contains($0) ? "" : "{}") \($0)" }
    #expect(heard.split(separator: "\n").map(String.init) == expected)
  }

  @Test func `K220 JSON is served as JSON`() async throws {
    let server = try Running([
      MockRoute(method: .get, endpoint: "text", code: 200, json: "[]"),
      MockRoute(method: .get, endpoint: "file", code: 404, filename: "get_user_200.json"),
    ])
    #expect(try await server.ask("text").field("Content-Type") == "application/json")
    #expect(try await server.ask("file").field("Content-Type") == "application/json")
  }

  @Test func `K221 an update changes the next answer`() async throws {
    let server = try Running([MockRoute(method: .get, endpoint: "user", code: 200, json: "1")])
    let feather = server.feather
    try feather.updateRoute(method: .get, endpoint: "user", json: "2")
    #expect(try await server.ask("user").body == "2")
    try feather.updateRoute(method: .get, endpoint: "/user/", object: ["three": 3])
    #expect(try await server.ask("user").body == #"{"three":3}"#)
    try feather.updateRoute(method: .get, endpoint: "user", filename: "get_user_200")
    #expect(try await server.ask("user").body.contains("from a file"))
    #expect(feather.routes.count == 1)
  }

  @Test func `K222 an update of an unknown route changes nothing, and says so`() async throws {
    let server = try Running([MockRoute(method: .get, endpoint: "user", code: 200, json: "1")])
    for (method, path) in [(MockRoute.HTTPMethod.get, "users"), (.post, "user")] {
      #expect {
        try server.feather.updateRoute(method: method, endpoint: path, json: "2")
      } throws: { error in
        "\(error)".contains("\(method.rawValue) \(path)") && "\(error)".contains("GET user")
      }
    }
    #expect(try await server.ask("user").body == "1")
  }

  @Test func `K223 status and header fields are updated, too`() async throws {
    let server = try Running([MockRoute(method: .get, endpoint: "user", code: 200, json: "1")])
    try server.feather.updateRoute(method: .get, endpoint: "user", code: 503, headers: ["Retry-After": "3"])
    let heard = try await server.ask("user")
    #expect((heard.status, heard.body, heard.field("Retry-After")) == (503, "1", "3"))
  }

  @Test func `K224 a server starts without routes, and they come and go`() async throws {
    let server = try Running()
    #expect(try await server.ask("user").status == 404)
    try server.feather.addRoute(MockRoute(method: .get, endpoint: "user", code: 200, json: "1"))
    #expect(try await server.ask("user").body == "1")
    try server.feather.addRoute(.simple(urlPath: "user", code: 204))
    #expect(try await server.ask("user").status == 204)
    #expect(server.feather.routes.count == 1)
    try server.feather.removeRoute(method: .get, endpoint: "user")
    #expect(try await server.ask("user").status == 404)
    #expect(throws: FeatherError.self) {
      try server.feather.removeRoute(method: .get, endpoint: "user")
    }
  }

  @Test func `K226 stopping frees the port at once, and the same object starts again`() async throws {
    let feather = Feather(port: 0)
    let route = MockRoute(method: .get, endpoint: "user", code: 200, json: "1")
    for number in 0..<5 {
      try feather.startServer(with: number == 4 ? [] : [route])
      #expect(try await ask("\(feather.baseUrl)/user").status == (number == 4 ? 404 : 200))
      feather.pluck()
      let second = Feather(port: feather.port)
      try second.startServer(with: [route])
      #expect(try await ask("\(feather.baseUrl)/user").status == 200)
      second.pluck()
    }
  }

  @Test func `K227 what is wrong is thrown, and says what to do`() throws {
    let first = try Running()
    let port = first.feather.port
    func check(_ parts: [String], _ start: () throws -> Void) {
      #expect {
        try start()
      } throws: { error in
        parts.allSatisfy { "\(error)".contains($0) }
      }
    }
    check(["\(port)", "port 0"]) { try Feather(port: port).startServer() }
    check(["\(first.url)", "pluck"]) { try first.feather.startServer() }
    check(["70000", "65535"]) { try Feather(port: 70_000).startServer() }
    check(["GET /user", "missing.json"]) {
      try Running([MockRoute(method: .get, endpoint: "user", code: 200, filename: "missing")]).feather.pluck()
    }
    check(["GET /user", "encoded"]) {
      _ = try Running([MockRoute(method: .get, endpoint: "user", code: 200, object: ["x": Double.nan])])
    }
    check(["GET /user", "99"]) { _ = try Running([.simple(urlPath: "user", code: 99)]) }
    check(["/a/*b/c"]) { _ = try Running([.simple(urlPath: "/a/*b/c")]) }
    check(["nonexistent"]) {
      try Feather(port: 0, cassette: "/nonexistent/cassette").startServer()
    }
  }

  @Test func `K227 a start that fails leaves nothing behind`() async throws {
    let taken = try Running()
    let feather = Feather(port: taken.feather.port)
    let route = MockRoute(method: .get, endpoint: "user", code: 200, json: "1")
    #expect(throws: FeatherError.self) { try feather.startServer(with: [route]) }
    #expect(!feather.isRunning && feather.routes.isEmpty)
    taken.feather.pluck()
    try feather.startServer(with: [route])
    #expect(try await ask("\(feather.baseUrl)/user").status == 200)
    feather.pluck()
  }

  @Test func `a miss names the nearest route, as in-process interception does, and no command`() async throws
  {
    let server = try Running([MockRoute(method: .get, endpoint: "users/{id}", code: 200, json: "1")])
    let missed = try await server.ask("user/1")
    #expect(missed.status == 404)
    #expect(
      missed.body.contains("No route takes GET /user/1. Nearest: GET /users/{id} (its path is another)."))
    #expect(!missed.body.contains("tapedeck "))
  }

  @Test func `a text given as JSON that is none is refused when it is registered`() throws {
    let feather = Feather(port: 0)
    defer { feather.pluck() }
    let broken = MockRoute(method: .get, endpoint: "user", code: 200, json: "{\"name\": }")
    do {
      try feather.startServer(with: [broken])
      Issue.record("it starts")
    } catch {
      #expect(
        "\(error)".contains(
          "GET /user: its json is not JSON: unexpected `}` at line 1, column 10; correct it"))
    }
    #expect(!feather.isRunning)
    try feather.startServer(with: [.custom(urlPath: "/user", content: .text("{\"name\": }"))])
  }

  @Test func `K228 port 0 is a free port, of which the base URL tells`() async throws {
    let servers = try (0..<20).map { number in
      try Running([MockRoute(method: .get, endpoint: "number", code: 200, json: "\(number)")])
    }
    #expect(Set(servers.map(\.url)).count == 20)
    for (number, server) in servers.enumerated() {
      #expect(try await server.ask("number").body == "\(number)")
    }
  }

  @Test func `K229 routes that are data answer alike at every door`() async throws {
    let routes: [MockRoute] = [
      .init(method: .get, endpoint: "user", code: 201, json: "1"),
      .custom(urlPath: "/q", query: ["a": ":x"], responseHeaders: ["X-Mark": "1"], code: 202),
      .template(urlPath: "/hello", filename: "hello.json", templateInfo: ["name": "Ada", "items": ["a"]]),
    ]
    let server = try Running(routes)
    let router = Router()
    try router.mock(routes, folder: mocks)
    for path in ["user", "q?a=1", "hello", "q", "nothing"] {
      let heard = try await server.ask(path)
      let answer = try await router.respond(to: Request("/\(path)"))
      #expect(heard.status == answer?.head.status ?? 404)
      if let answer { #expect(heard.body == String(decoding: answer.body, as: UTF8.self)) }
    }
  }
}
