import Foundation
import FoundationNetworking
import Synchronization
import TapedeckHTTP
import TapedeckMocking
import TapedeckProxy
import TapedeckRecording
import TestSupport
import Testing

private let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()

private final class Notes: Sendable {
  private let notes = Mutex<[String]>([])
  var all: [String] { notes.withLock { $0 } }
  func add(_ note: String) { notes.withLock { $0.append(note) } }
}

/// A proxy with routes, in front of the cassette that comes with the repository.
private final class Door: Sendable {
  let router: Router
  let proxy: ProxyServer
  private let session = URLSession(configuration: .ephemeral)

  init() throws {
    var configuration = ProxyConfiguration()
    configuration.listen = "127.0.0.1:0"
    configuration.threads = 2
    configuration.cassette = repository.appending(path: "Cassettes/httpbin").path
    router = configuration.router
    proxy = try ProxyServer(configuration)
  }

  deinit { _ = try? proxy.stop(graceMilliseconds: 0) }

  func request(_ path: String, _ method: String = "GET") throws -> URLRequest {
    var request = URLRequest(url: try #require(URL(string: proxy.baseURL + path)))
    request.httpMethod = method
    // A handler that waits needs a thread of the pool, which under a sanitizer is long busy with other tests.
    request.timeoutInterval = 600
    return request
  }

  func ask(_ path: String, _ method: String = "GET") async throws -> (
    status: Int, text: String, response: HTTPURLResponse
  ) {
    let (data, response) = try await session.data(for: request(path, method))
    let http = try #require(response as? HTTPURLResponse)
    return (http.statusCode, String(decoding: data, as: UTF8.self), http)
  }

  func text(_ path: String) async throws -> String { try await ask(path).text }
}

@Suite struct `Routes in the proxy` {
  @Test func `a handler may wait, many at once`() async throws {
    let door = try Door()
    door.router.get("/wait/:n") { request in
      await Task.yield()
      return ["n": request.components["n"]]
    }
    let texts = try await withThrowingTaskGroup(of: String.self) { group in
      for n in 0..<100 { group.addTask { try await door.text("/wait/\(n)") } }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(texts == Set((0..<100).map { #"{"n":"\#($0)"}"# }))
  }

  @Test func `K71 K72 latency delays its own route and no other`() async throws {
    let door = try Door()
    let notes = Notes()
    door.router.get("/slow") { _ in
      notes.add("slow")
      return ["slow": true]
    }.latency(0.3)
    door.router.get("/fast") { _ in
      notes.add("fast")
      return ["fast": true]
    }
    let start = ContinuousClock.now
    async let slow = door.text("/slow")
    async let fast = door.text("/fast")
    #expect(try await fast == #"{"fast":true}"#)
    #expect(try await slow == #"{"slow":true}"#)
    #expect(ContinuousClock.now - start >= .milliseconds(300))
    #expect(notes.all == ["fast", "slow"])
  }

  @Test func `K73 K74 a client that leaves in time keeps the handler from running`() async throws {
    let door = try Door()
    let notes = Notes()
    // It leaves on the loop's own thread, so that no other test can hold it up.
    let leaving = Mutex<Client?>(try Client(UInt16(#require(URL(string: door.proxy.baseURL)?.port))))
    door.router.get("/slow/:n") { request in
      notes.add(request.components["n"]!)
      return nil
    }.latency(0.4).when { request in
      guard request.components["n"] == "leaves" else { return true }
      leaving.withLock { client in
        client?.reset()
        client = nil
      }
      return true
    }
    leaving.withLock { $0?.say("GET /slow/leaves HTTP/1.1\r\nHost: a\r\n\r\n") }
    // Its time comes after the other's.
    #expect(try await door.ask("/slow/stays").status == 200)
    #expect(notes.all == ["stays"])
  }

  @Test func `P149 a handler asks the cassette and changes what it says`() async throws {
    let door = try Door()
    door.router.get("/json") { request in
      var response = try await request.continue()
      let title = try JSONValue(parsing: response.data ?? [])["slideshow"]?["title"]?.text
      response.statusCode = 203
      response.headers["X-Title"] = title
      return response
    }
    let (status, text, response) = try await door.ask("/json")
    #expect(status == 203)
    #expect(text.contains("Wake up to WonderWidgets!"))
    #expect(response.value(forHTTPHeaderField: "X-Title") == "Sample Slide Show")
  }

  @Test func `K81 a handler lets requests go on, at once or later`() async throws {
    let door = try Door()
    door.router.get("/json") { $0.continue() }
    door.router.get("/uuid") { $0.continue() }.latency(0.01)
    #expect(try await door.text("/json").contains("Wake up to WonderWidgets!"))
    #expect(try await door.text("/uuid").contains("uuid"))
  }

  @Test func `P149 what nobody answers is told to the handler`() async throws {
    let door = try Door()
    door.router.get("/nothing") { request in
      let response = try await request.continue()
      return ["behind": response.statusCode]
    }
    #expect(try await door.text("/nothing") == #"{"behind":502}"#)
  }

  @Test func `K109 a handler that throws answers 500, waiting or not`() async throws {
    struct Broken: Error {}
    let door = try Door()
    door.router.get("/now") { _ in throw Broken() }
    door.router.get("/later") { _ in
      await Task.yield()
      throw Broken()
    }
    for path in ["/now", "/later"] {
      let (status, text, _) = try await door.ask(path)
      #expect(status == 500)
      #expect(text.contains("GET \(door.proxy.baseURL)\(path): the handler of GET \(path) failed: Broken()"))
    }
  }

  @Test func `K111 bodies in chunks, from a list and from a task`() async throws {
    let door = try Door()
    door.router.get("/list") { _ in
      Response(
        contentType: "text/plain", stream: .texts(["one ", "two ", "three"], interval: .milliseconds(5)))
    }
    door.router.any("/made") { _ in
      Response(
        stream: .producing { write in
          for _ in 0..<200 { try await write([UInt8](repeating: 0x61, count: 50_000)) }
        })
    }
    let (status, text, response) = try await door.ask("/list")
    #expect((status, text) == (200, "one two three"))
    #expect(response.value(forHTTPHeaderField: "Content-Type") == "text/plain")
    #expect(try await door.text("/made").utf8.count == 10_000_000)
    #expect(try await door.ask("/made", "HEAD").text == "")
    #expect(try await door.text("/list") == "one two three")
  }

  @Test func `K111 a body that fails breaks off where the client sees it`() async throws {
    struct Broken: Error {}
    let door = try Door()
    door.router.get("/broken") { _ in
      Response(
        stream: .producing { write in
          try await write([1, 2, 3])
          throw Broken()
        })
    }
    await #expect(throws: (any Error).self) { try await door.text("/broken") }
    #expect(try await door.ask("/json").status == 200)
  }

  @Test func `a router's base counts by its path alone`() async throws {
    var configuration = ProxyConfiguration()
    configuration.listen = "127.0.0.1:0"
    configuration.router = Router("https://kakapobook.com/api/")
    configuration.router.get("users/:id") { $0.components }
    let proxy = try ProxyServer(configuration)
    let url = try #require(URL(string: "\(proxy.baseURL)/api/users/1"))
    let (data, _) = try await URLSession.shared.data(from: url)
    #expect(String(decoding: data, as: UTF8.self) == #"{"id":"1"}"#)
    _ = try proxy.stop()
  }

  @Test func `behind a forward proxy the host counts, over HTTPS too`() throws {
    var configuration = ProxyConfiguration()
    configuration.listen = "127.0.0.1:0"
    configuration.forward = ForwardProxy()
    configuration.router.get("https://a.test/users") { _ in ["at": "a"] }
    configuration.router.get("http://b.test/users") { _ in ["at": "b"] }
    let proxy = try ProxyServer(configuration)
    let authority = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).pem")
    try proxy.authorityCertificate?.write(to: authority, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: authority) }
    for (origin, body) in [
      ("https://a.test", #"{"at":"a"}"#), ("http://b.test", #"{"at":"b"}"#), ("http://a.test", nil),
      ("https://b.test", nil),
    ] {
      var client = ProxyConfiguration()
      client.upstream = origin
      client.upstreamProxy = proxy.baseURL
      client.caCertificate = authority.path
      let results = try UpstreamBatch(client).results(for: [HTTPRequest(.get, "/users")])
      guard case .response(let response)? = results.first??.outcome, case .bytes(let bytes) = response.body
      else {
        Issue.record("\(origin): \(results)")
        continue
      }
      #expect(response.head.status == (body == nil ? 502 : 200))
      if let body { #expect(String(decoding: bytes, as: UTF8.self) == body) }
    }
    let entries = proxy.sessions.standard.requestLog.entries
    #expect(entries.map(\.origin) == ["https://a.test", "http://b.test", "http://a.test", "https://b.test"])
    _ = try proxy.stop()
  }

  @Test func `routes are added and changed while it runs`() async throws {
    let door = try Door()
    #expect(try await door.ask("/new").status == 502)
    let route = door.router.get("/new") { _ in ["new": 1] }
    #expect(try await door.text("/new") == #"{"new":1}"#)
    route.remove()
    #expect(try await door.ask("/new").status == 502)
  }
}
