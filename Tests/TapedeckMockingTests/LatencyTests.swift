import MockingSupport
import TapedeckHTTP
import TapedeckMocking
import Testing

@Suite(.serialized) struct `C. Latency` {
  private func latency(_ router: Router, _ path: String = "/a") throws -> Double {
    Double(try #require(router.match(Request(path))).latencyNanoseconds) / 1e9
  }

  @Test func `K82 of route, router and all routers the nearest one counts`() throws {
    let router = Router()
    router.get("/a", handler: says(""))
    router.get("/b", handler: says("")).latency(0.25)
    router.group("/c", latency: 0.5).get("/d", handler: says(""))
    Router.defaultLatency = 2
    defer { Router.defaultLatency = 0 }
    #expect(try latency(router) == 2)
    router.latency = 1.5
    #expect(router.latency == 1.5)
    #expect(try latency(router) == 1.5)
    #expect(try latency(router, "/b") == 0.25)
    #expect(try latency(router, "/c/d") == 0.5)
    Router.forcedLatency = .zero
    defer { Router.forcedLatency = nil }
    #expect(try latency(router, "/b") == 0)
  }

  @Test func `K82 a range gives the same times in every run`() throws {
    let times = try [Router(), Router()].map { router in
      router.latency = .range(0.1...0.3)
      router.get("/a", handler: says(""))
      return try (0..<20).map { _ in try latency(router) }
    }
    #expect(times[0] == times[1])
    #expect(times[0].allSatisfy { (0.1...0.3).contains($0) })
    #expect(Set(times[0]).count > 10)
  }

  @Test func `what is no time becomes one`() {
    #expect(Latency.seconds(-1) == 0)
    #expect(Latency.seconds(.nan) == 0)
    #expect(Latency.seconds(.infinity) == 86_400)
    #expect(Latency.range(-1...(.infinity)).seconds == 0...86_400)
    #expect(Latency.milliseconds(250) == 0.25)
  }

  @Test func `K71 an answer takes at least its latency`() async throws {
    let router = Router()
    router.latency = 0.05
    router.get("/a", handler: says("done"))
    let clock = ContinuousClock()
    let start = clock.now
    #expect(try await router.text("/a") == "done")
    #expect(clock.now - start >= .milliseconds(50))
  }

  @Test func `K73 cancelled before its time, the handler never runs`() async throws {
    let notes = Notes()
    let router = Router()
    router.latency = 3600
    router.get("/a") { _ in
      await notes.add("ran")
      return nil
    }
    let task = Task { try await router.answer("/a") }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await notes.all == [])
  }
}
