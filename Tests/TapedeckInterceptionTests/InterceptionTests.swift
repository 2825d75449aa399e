import Foundation
import FoundationNetworking
import Synchronization
import TapedeckHTTP
import TapedeckInterception
import TapedeckMocking
import Testing

@Suite struct `C. Interception` {
  @Test func `K68 the answer's URL is the request's, with its query`() async throws {
    try await Interception().run { () async throws in
      Router.register("http://www.test.com").get("/users/:id") { $0.components }
      let heard = try await URLSession.shared.ask("http://www.test.com/users/1?page=2&author=hector")
      #expect(heard.response.url?.absoluteString == "http://www.test.com/users/1?page=2&author=hector")
      #expect(heard.body == #"{"id":"1"}"#)
    }
  }

  @Test func `K69 K70 what matches no route goes to the real network`() async throws {
    let origin = try Origin()
    origin.router.any("*rest") { ["real": $0.method.rawValue] }
    try await Interception().run { () async throws in
      Router.register(origin.url).get("/users", handler: says("mocked"))
      #expect(try await URLSession.shared.text("\(origin.url)/users") == "mocked")
      #expect(try await URLSession.shared.text("\(origin.url)/other") == #"{"real":"GET"}"#)
      #expect(try await URLSession.shared.ask("\(origin.url)/users", "PUT").body == #"{"real":"PUT"}"#)
    }
  }

  @Test func `K71 K72 latency delays its own router's answers and no other's`() async throws {
    try await Interception().run { () async throws in
      let slow = Router.register("http://slow.com")
      slow.latency = 0.3
      slow.get("/a", handler: says("slow"))
      Router.register("http://fast.com").get("/a", handler: says("fast"))
      let clock = ContinuousClock()
      let start = clock.now
      let finished = Notes()
      async let one: Void = finished.add(URLSession.shared.text("http://slow.com/a"))
      async let two: Void = finished.add(URLSession.shared.text("http://fast.com/a"))
      _ = try await (one, two)
      #expect(finished.all == ["fast", "slow"])
      #expect(clock.now - start >= .milliseconds(300))
    }
  }

  @Test func `K73 K74 cancelled before its time, the handler never runs, and the others answer`() async throws
  {
    try await Interception().run { () async throws in
      let notes = Notes()
      let router = Router.register("http://test.com")
      router.get("/slow/:n") { request in
        notes.add(request.components["n"] ?? "")
        return nil
      }.latency(0.3)
      let leaves = Task { try await URLSession.shared.text("http://test.com/slow/leaves") }
      async let stays = URLSession.shared.ask("http://test.com/slow/stays")
      leaves.cancel()
      let error = await failure { _ = try await leaves.value }
      #expect(error?.code == .cancelled)
      #expect(try await stays.status == 200)
      #expect(notes.all == ["stays"])
    }
  }

  @Test func `K73 a cancelled task tells its closure so, once`() async throws {
    try await Interception().run { () async throws in
      Router.register("http://test.com").get("/slow") { _ in nil }.latency(3600)
      let calls = Notes()
      let url = try #require(URL(string: "http://test.com/slow"))
      let error = await withCheckedContinuation { continuation in
        let task = URLSession.shared.dataTask(with: url) { _, _, error in
          calls.add("called")
          continuation.resume(returning: error as? URLError)
        }
        task.resume()
        task.cancel()
      }
      #expect(error?.code == .cancelled)
      #expect(calls.all == ["called"])
    }
  }

  @Test func `K75 stopped before it started, the handler never runs`() throws {
    let notes = Notes()
    Router.register("http://k75.test").get("/a") { _ in
      notes.add("ran")
      return nil
    }
    let server = Server(request: try URLRequest("http://k75.test/a"), cachedResponse: nil, client: nil)
    #expect(Server.canInit(with: try URLRequest("http://k75.test/a")))
    server.stopLoading()
    server.startLoading()
    #expect(notes.all == [])
    Router.unregister("http://k75.test")
    #expect(!Server.canInit(with: try URLRequest("http://k75.test/a")))
  }

  @Test func `K76 handlers run off the main thread, which may wait for them`() async throws {
    try await Interception().run { () async throws in
      Router.register("http://test.com").get("/where") { _ in ["isMain": Thread.isMainThread] }
      let url = try #require(URL(string: "http://test.com/where"))
      let session = URLSession(configuration: Interception.current.configuration)
      let text = await MainActor.run { () -> String in
        let answer = Mutex("")
        let done = DispatchSemaphore(value: 0)
        session.dataTask(with: url) { data, _, _ in
          answer.withLock { $0 = String(decoding: data ?? Data(), as: UTF8.self) }
          done.signal()
        }.resume()
        done.wait()
        return answer.withLock { $0 }
      }
      #expect(text == #"{"isMain":false}"#)
    }
  }

  @Test func `K77 sessions of one's own, by the class or by a configuration`() async throws {
    Router.register("http://k77.test").get("/a", handler: says("all share it"))
    defer { Router.unregister("http://k77.test") }
    let configuration = URLSessionConfiguration.default
    configuration.protocolClasses = [Server.self]
    #expect(try await URLSession(configuration: configuration).text("http://k77.test/a") == "all share it")

    let interception = Interception()
    interception.register("http://k77.test").get("/a", handler: says("its own"))
    interception.intercept(configuration)
    #expect(try await URLSession(configuration: configuration).text("http://k77.test/a") == "its own")
    let session = URLSession(configuration: interception.configuration)
    #expect(try await session.text("http://k77.test/a") == "its own")
    #expect(try await URLSession.shared.text("http://k77.test/a") == "all share it")
  }

  @Test func `K78 strict: the error names the request and the nearest routes`() async throws {
    try await Interception(unmatched: .fail).run { () async throws in
      let router = Router.register("http://test.com")
      router.get("/users/:id", handler: says("user"))
      router.get("/posts", handler: says("posts"))
      router.get("/users/:id/friends", handler: says("friends")).when { _ in false }
      #expect(try await URLSession.shared.text("http://test.com/users/1") == "user")
      for (method, url, nearest) in [
        (
          "POST", "http://test.com/users/1",
          "Nearest: GET /users/:id below http://test.com (its method is another)"
        ),
        (
          "GET", "http://test.com/user/1",
          "Nearest: GET /users/:id below http://test.com (its path is another)"
        ),
        (
          "GET", "http://test.com/users/1/friends",
          "Nearest: GET /users/:id/friends below http://test.com (its query, header fields or predicate want more)"
        ),
        (
          "GET", "http://other.com/users/1",
          "Nearest: GET /users/:id below http://test.com (its base is another)"
        ),
      ] {
        let error = await failure { _ = try await URLSession.shared.ask(url, method) }
        #expect(error?.code == .resourceUnavailable)
        #expect(error?.localizedDescription.hasPrefix("No route takes \(method) \(url). \(nearest)") == true)
      }
    }
  }

  @Test func `K78 strict without any route, and after all were disabled`() async throws {
    try await Interception(unmatched: .fail).run { () async throws in
      let error = await failure { _ = try await URLSession.shared.text("http://127.0.0.1:9/a") }
      #expect(
        error?.localizedDescription == "No route takes GET http://127.0.0.1:9/a. No route is registered here."
      )
      Router.register("http://127.0.0.1:9").get("/a", handler: says("a"))
      Router.disableAll()
      #expect(await failure { _ = try await URLSession.shared.text("http://127.0.0.1:9/a") } != nil)
    }
  }

  @Test func `K79 what matches no route gets 404, or what a closure decides`() async throws {
    let origin = try Origin()
    origin.router.get("/a", handler: says("real"))
    let asserted = Notes()
    let interception = Interception(unmatched: .notFound)
    try await interception.run { () async throws in
      let heard = try await URLSession.shared.ask("\(origin.url)/a")
      #expect(heard.status == 404)
      #expect(heard.body == "No route takes GET \(origin.url)/a. No route is registered here.\n")
      interception.unmatched = .respond(Response(statusCode: 418, text: "short and stout"))
      #expect(try await URLSession.shared.ask("\(origin.url)/a").body == "short and stout")
      interception.unmatched = .decide { unmatched in
        asserted.add("\(unmatched)")
        return unmatched.request.host == "127.0.0.1" ? .passThrough : .fail
      }
      #expect(try await URLSession.shared.text("\(origin.url)/a") == "real")
      #expect(await failure { _ = try await URLSession.shared.text("http://test.com/b") } != nil)
      #expect(asserted.all.count == 2)
    }
  }

  @Test func `K80 passing through by path, host, method and predicate`() async throws {
    let origin = try Origin()
    origin.router.any("*rest") { ["real": $0.path] }
    try await Interception(unmatched: .fail).run { () async throws in
      let router = Router.register(origin.url)
      router.any("/assets/*rest") { $0.continue() }
      router.post("/users") { $0.continue() }
      router.get("/search") { $0.continue() }.when { $0.query("live") == "1" }
      #expect(
        try await URLSession.shared.text("\(origin.url)/assets/a/b")
          == #"{"real":"\/assets\/a\/b"}"#.unescaped)
      #expect(try await URLSession.shared.ask("\(origin.url)/users", "POST").status == 200)
      #expect(try await URLSession.shared.ask("\(origin.url)/search?live=1").status == 200)
      #expect(await failure { _ = try await URLSession.shared.text("\(origin.url)/users") } != nil)
      #expect(await failure { _ = try await URLSession.shared.text("\(origin.url)/search?live=0") } != nil)
      Router.register("127.0.0.1").any("*all") { $0.continue() }
      #expect(try await URLSession.shared.ask("\(origin.url)/users").status == 200)
    }
  }

  @Test func `K81 a handler asks the real network, and changes what it says`() async throws {
    let origin = try Origin()
    origin.router.post("/echo") { request in
      Response(statusCode: 201, text: request.text, headers: ["X-Origin": request.header("X-Mark") ?? ""])
    }
    try await Interception(unmatched: .fail).run { () async throws in
      let router = Router.register(origin.url)
      router.post("/echo") { request in
        var sent = request
        sent.http.body += Array(" and more".utf8)
        var response = try await sent.continue()
        response.headers["X-Changed"] = "yes"
        return response
      }
      let heard = try await URLSession.shared.ask(
        "\(origin.url)/echo", "POST", headers: ["X-Mark": "m"], body: Data("text".utf8))
      #expect((heard.status, heard.body) == (201, "text and more"))
      #expect(heard.field("X-Origin") == "m")
      #expect(heard.field("X-Changed") == "yes")
      router.post("/echo") { $0.continue() }
      let plain = try await URLSession.shared.ask("\(origin.url)/echo", "POST", body: Data("as it is".utf8))
      #expect((plain.status, plain.body) == (201, "as it is"))
    }
  }

  @Test func `K81 what the real network cannot do is told to the handler`() async throws {
    try await Interception().run { () async throws in
      Router.register("http://127.0.0.1:9").get("/a") { request in
        do { return try await request.continue() } catch let error as URLError {
          return ["code": error.code.rawValue]
        }
      }
      #expect(try await URLSession.shared.text("http://127.0.0.1:9/a") == #"{"code":-1004}"#)
    }
  }

  @Test func `K83 K84 a handler's URLError is how the request ends, at once`() async throws {
    try await Interception().run { () async throws in
      let router = Router.register("http://test.com")
      for code in [URLError.timedOut, .networkConnectionLost, .cannotFindHost, .secureConnectionFailed] {
        router.get("/now/\(code.rawValue)") { _ in throw URLError(code) }
        router.get("/later/\(code.rawValue)") { _ in
          await Task.yield()
          throw URLError(code)
        }
        for path in ["now", "later"] {
          let url = "http://test.com/\(path)/\(code.rawValue)"
          let error = await failure { _ = try await URLSession.shared.text(url) }
          #expect(error?.code == code)
          #expect(error?.failingURL?.absoluteString == url)
        }
      }
    }
  }

  @Test func `K83 who is slower than the request allows has timed out, and holds up nobody`() async throws {
    try await Interception().run { () async throws in
      let router = Router.register("http://test.com")
      router.get("/slow", handler: says("never")).latency(3600)
      router.get("/fast", handler: says("fast"))
      var request = try URLRequest("http://test.com/slow")
      request.timeoutInterval = 0.2
      let slow = request
      async let slowError = failure { _ = try await URLSession.shared.data(for: slow) }
      #expect(try await URLSession.shared.text("http://test.com/fast") == "fast")
      #expect(await slowError?.code == .timedOut)

      let configuration = Interception.current.configuration
      configuration.timeoutIntervalForRequest = 0.2
      let session = URLSession(configuration: configuration)
      #expect(await failure { _ = try await session.text("http://test.com/slow") }?.code == .timedOut)
    }
  }

  @Test func `K86 K87 every exchange is kept, and told, as long as somebody wants to know`() async throws {
    let origin = try Origin()
    origin.router.get("/real", handler: says("real"))
    let interception = Interception()
    let log = Notes()
    try await interception.run { () async throws in
      Router.register("http://test.com").post("/users") { _ in Response(statusCode: 201) }
      interception.isRecording = true
      interception.log = { log.add("\($0)") }
      _ = try await URLSession.shared.ask(
        "http://test.com/users", "POST", headers: ["X-Mark": "1"], body: Data("one".utf8))
      _ = try await URLSession.shared.ask("\(origin.url)/real")
      interception.unmatched = .fail
      _ = await failure { _ = try await URLSession.shared.text("http://test.com/none") }
      interception.log = nil
      interception.isRecording = false
      _ = try await URLSession.shared.ask("http://test.com/users", "POST")
    }
    let exchanges = interception.exchanges
    #expect(exchanges.map(\.source) == [.route("POST /users"), .network, .unmatched])
    #expect(exchanges.map(\.statusCode) == [201, 200, nil])
    #expect(exchanges.first?.request.text == "one")
    #expect(exchanges.first?.request.header("x-mark") == "1")
    #expect(
      log.all.prefix(2) == [
        "POST http://test.com/users → 201 (route POST /users)", "GET \(origin.url)/real → 200 (network)",
      ])
    #expect(log.all.last?.hasPrefix("GET http://test.com/none → failed: No route takes GET") == true)
    #expect(log.all.count == 3)
  }
}

extension String {
  fileprivate var unescaped: String { replacingOccurrences(of: "\\/", with: "/") }
}
