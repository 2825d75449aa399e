import Foundation
import FoundationNetworking
import TapedeckHTTP
import TapedeckInterception
import TapedeckMocking
import Testing

/// What a suite of a user's does around each of its tests: one line more than `import Testing`.
private struct InterceptedTrait: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await Interception(unmatched: .fail).run { () async throws in try await function() }
  }
}

extension Trait where Self == InterceptedTrait {
  fileprivate static var intercepted: Self { Self() }
}

/// A thousand tests at once, each with its own routes for the same URLs.
@Suite(.intercepted) struct `A thousand side by side` {
  @Test(arguments: 0..<1000)
  func `K67 K301 each sees its own routes`(_ number: Int) async throws {
    let router = Router.register("http://www.test.com")
    router.get("/who") { _ in ["number": number] }
    router.post("/who") { request in
      await Task.yield()
      return ["number": number, "body": request.text]
    }
    router.get("/only/\(number)", handler: says("mine"))
    let own = URLSession(configuration: Interception.current.configuration)
    for session in [URLSession.shared, own] {
      #expect(try await session.text("http://www.test.com/who") == #"{"number":\#(number)}"#)
      let posted = try await session.ask("http://www.test.com/who", "POST", body: Data("text".utf8))
      #expect(posted.body == #"{"number":\#(number),"body":"text"}"#)
      #expect(try await session.text("http://www.test.com/only/\(number)") == "mine")
      let foreign = await failure {
        _ = try await session.text("http://www.test.com/only/\((number + 1) % 1000)")
      }
      #expect(foreign?.code == .resourceUnavailable)
    }
  }
}

@Suite struct `B. Registries of URLSession` {
  @Test func `K67 a thousand runs at the same moment`() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      let gate = Gate(1000)
      for number in 0..<1000 {
        group.addTask { () async throws in
          try await Interception(unmatched: .fail).run { () async throws in
            Router.register("http://www.test.com").get("/who", handler: says("\(number)"))
            await gate.arrive()
            #expect(try await URLSession.shared.text("http://www.test.com/who") == "\(number)")
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// In a process of its own: it leaves no numbers for others.
  @Test func `more runs than can be told apart fail aloud, and no network is asked`() async {
    await #expect(processExitsWith: .success) {
      let router = Router("http://127.0.0.1:9")
      router.get("/a", handler: says("a"))
      let clock = ContinuousClock()
      let time = clock.measure { Interception().run {} }
      print("first run", time)
      let error = try await asking(in: 4097, router)
      #expect(error?.localizedDescription.contains("run no more than 4096 at once") == true)
    }
  }

  @Test func `a session that knows only Server says so inside a run`() async throws {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [Server.self]
    let session = URLSession(configuration: configuration)
    try await Interception().run { () async throws in
      Router.register("http://k77b.test").get("/a", handler: says("a"))
      let error = await failure { _ = try await session.text("http://k77b.test/a") }
      #expect(error?.localizedDescription.contains("Interception.current.intercept") == true)
      Interception.current.intercept(session.configuration)
      #expect(try await session.text("http://k77b.test/a") == "a")
    }
  }

  @Test func `a session that outlives its interception says so`() async throws {
    var interception: Interception? = Interception()
    let session = URLSession(configuration: try #require(interception?.configuration))
    interception = nil
    let error = await failure { _ = try await session.text("http://127.0.0.1:9/a") }
    #expect(
      error?.localizedDescription.contains("Interception that this session was made for is gone") == true)
  }

  @Test func `K58 after all are disabled nothing is intercepted, until one registers`() async throws {
    let origin = try Origin()
    origin.router.get("/a", handler: says("real"))
    try await Interception().run { () async throws in
      Router.register(origin.url).get("/a", handler: says("mocked"))
      #expect(try await URLSession.shared.text("\(origin.url)/a") == "mocked")
      Router.disableAll()
      #expect(try await URLSession.shared.text("\(origin.url)/a") == "real")
      Router.register(origin.url).get("/a", handler: says("again"))
      #expect(try await URLSession.shared.text("\(origin.url)/a") == "again")
      Router.unregister(origin.url)
      #expect(try await URLSession.shared.text("\(origin.url)/a") == "real")
    }
  }

  @Test func `K59 an interception goes when its run is over`() async throws {
    weak var gone: Interception?
    weak var router: Router?
    try await Interception().run { () async throws in
      gone = Interception.current
      router = Router.register("http://test.com")
      router?.get("/a", handler: says("a"))
      _ = try await URLSession.shared.text("http://test.com/a")
    }
    while gone != nil || router != nil { await Task.yield() }
  }

  @Test func `K60 a request under way ends when its router goes`() async throws {
    try await Interception(unmatched: .fail).run { () async throws in
      Router.register("http://test.com").get("/a", handler: says("still here")).latency(0.1)
      let answer = Task { try await URLSession.shared.text("http://test.com/a") }
      Router.disableAll()
      let ended = await failure {
        let text = try await answer.value
        #expect(text == "still here")
      }
      #expect(ended == nil || ended?.code == .resourceUnavailable)
    }
  }

  @Test func `K61 registering and unregistering while requests run`() async throws {
    try await Interception(unmatched: .fail).run { () async throws in
      Router.register("http://stays.com").get("/x", handler: says("here"))
      try await withThrowingTaskGroup(of: Void.self) { group in
        for worker in 0..<8 {
          group.addTask { () async throws in
            for round in 0..<25 {
              let router = Router.register("http://\(worker).com")
              router.get("/\(round)", handler: says("\(round)"))
              #expect(try await URLSession.shared.text("http://\(worker).com/\(round)") == "\(round)")
              #expect(try await URLSession.shared.text("http://stays.com/x") == "here")
              Router.unregister("http://\(worker).com")
            }
          }
        }
        try await group.waitForAll()
      }
    }
  }
}

/// How a request of the innermost of so many runs ends. A session of its own is not in want of a number.
private func asking(in depth: Int, _ router: Router) async throws -> URLError? {
  let interception = Interception()
  interception.add(router)
  return try await interception.run { () async throws in
    if depth > 1 { return try await asking(in: depth - 1, router) }
    let session = URLSession(configuration: interception.configuration)
    #expect(try await session.text("http://127.0.0.1:9/a") == "a")
    return await failure { _ = try await URLSession.shared.text("http://127.0.0.1:9/a") }
  }
}

/// Opens when all have come.
private actor Gate {
  private var missing: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(_ count: Int) { missing = count }

  func arrive() async {
    missing -= 1
    if missing > 0 {
      await withCheckedContinuation { waiting.append($0) }
    } else {
      for continuation in waiting { continuation.resume() }
      waiting = []
    }
  }
}
