import Foundation
import FoundationNetworking
import TapedeckTesting
import Testing

private func text(_ url: String, from session: URLSession = .shared) async throws -> String {
  String(decoding: try await session.data(from: try #require(URL(string: url))).0, as: UTF8.self)
}

private func folder() -> String {
  FileManager.default.temporaryDirectory.appending(path: "traits-\(UUID().uuidString)").path
}

/// The text of the first recorded response to `/uuid`; the cassette has three.
private let firstUUID = "076a7125-57b6-4bf2-b1f4-b6804679ef71"

@Suite(.cassette("httpbin")) struct `The trait cassette` {
  @Test func `serves the shared session and sessions of the interception`() async throws {
    let own = URLSession(configuration: Interception.current.configuration)
    #expect(try await text("http://127.0.0.1:8000/json").contains("Sample Slide Show"))
    #expect(try await text("http://127.0.0.1:8000/json", from: own).contains("Sample Slide Show"))
  }

  @Test(arguments: 0..<200)
  func `gives each of two hundred tests the first response first`(_ number: Int) async throws {
    #expect(try await text("http://127.0.0.1:8000/uuid").contains(firstUUID))
    #expect(try await text("http://127.0.0.1:8000/uuid").contains(firstUUID) == false)
  }

  @Test(.overrides { $0.get("/json") { _ in ["mine": true] } })
  func `lets overrides respond first`() async throws {
    #expect(try await text("http://127.0.0.1:8000/json") == #"{"mine":true}"#)
    #expect(try await text("http://127.0.0.1:8000/uuid").contains(firstUUID))
  }

  @Test(.interception)
  func `gives way to a cassette inside of it`() async throws {
    await #expect(throws: MissError.self) {
      try await withCassette("nginx") { _ = try await text("http://127.0.0.1:8000/json") }
    }
  }
}

@Test(.overrides { $0.get("/json") { _ in ["mine": true] } }, .cassette("httpbin"))
func `overrides respond before a cassette inside of them`() async throws {
  #expect(try await text("http://127.0.0.1:8000/json") == #"{"mine":true}"#)
  #expect(try await text("http://127.0.0.1:8000/uuid").contains(firstUUID))
}

@Suite(.interception) struct `The trait interception` {
  @Test(arguments: 0..<200)
  func `gives each of two hundred tests its own routes`(_ number: Int) async throws {
    Router.register("http://api.test").get("/number") { _ in ["number": number] }
    await Task.yield()
    #expect(try await text("http://api.test/number") == #"{"number":\#(number)}"#)
    await #expect(throws: URLError.self) { _ = try await text("http://api.test/other") }
  }

  @Test(.overrides { $0.get("https://api.test/users/:id") { ["id": $0.components["id"]] } })
  func `overrides may name a host`() async throws {
    #expect(try await text("https://api.test/users/7") == #"{"id":"7"}"#)
    await #expect(throws: URLError.self) { _ = try await text("https://other.test/users/7") }
  }
}

@Suite struct `A cassette in a closure` {
  @Test func `fails for a request that was not recorded, and says what was near`() async throws {
    let error = await #expect(throws: MissError.self) {
      try await withCassette("httpbin") {
        _ = try await text("http://127.0.0.1:8000/jsno")
        throw CancellationError()
      }
    }
    let said = error.map { "\($0)" } ?? ""
    for part in ["GET /jsno", "nearest: get-json", "the test ended with: CancellationError()"] {
      #expect(said.contains(part), "\(said)")
    }
  }

  @Test func `is refused without a cassette where nothing may be recorded`() async throws {
    let path = folder()
    await #expect(throws: ProxyError.cassetteAbsent(path)) { try await withCassette(path, mode: .none) {} }
  }

  /// In a process of its own, whose environment says nothing of CI.
  @Test func `a cassette that this process recorded is added to by later tests`() async {
    await #expect(processExitsWith: .success) {
      for name in ["CI", "TAPEDECK_MODE"] { unsetenv(name) }
      let path = folder()
      defer { try? FileManager.default.removeItem(atPath: path) }
      let origin = try Running()
      for name in ["a", "b"] { origin.feather.router.get("/\(name)") { _ in Response(text: name) } }
      for name in ["a", "b"] {
        try await withCassette(path) { () async throws in
          #expect(try await text("\(origin.url)/\(name)") == name)
        }
      }
      origin.feather.pluck()
      setenv("CI", "true", 1)
      try await withCassette(path) { () async throws in
        for name in ["a", "b"] { #expect(try await text("\(origin.url)/\(name)") == name) }
      }
    }
  }

  /// In a process of its own, whose descriptors nobody else opens.
  @Test func `two hundred at once record and replay offline, and leave nothing open`() async {
    await #expect(processExitsWith: .success) {
      for name in ["CI", "TAPEDECK_MODE"] { unsetenv(name) }
      let root = folder()
      defer { try? FileManager.default.removeItem(atPath: root) }
      let origin = try Running()
      origin.feather.router.get("/number/:n") { Response(text: $0.components["n"] ?? "") }
      // What Foundation, libcurl and the task pool keep for the process.
      try await all(8, root: "\(root)/warm", origin: origin.url, mode: .once)
      let before = try openDescriptors()
      try await all(200, root: "\(root)/cold", origin: origin.url, mode: .once)
      origin.feather.pluck()
      try await all(200, root: "\(root)/cold", origin: origin.url, mode: .none)
      // The threads that stopped the proxies close what they had.
      var after = try openDescriptors()
      let clock = ContinuousClock()
      let end = clock.now + .seconds(10)
      while after > before, clock.now < end {
        await Task.yield()
        after = try openDescriptors()
      }
      #expect(after <= before, "\(before) descriptors before, \(after) after")
      let files = try FileManager.default.subpathsOfDirectory(atPath: "\(root)/cold")
      #expect(files.count { $0.hasSuffix("/cassette.json") } == 200)
      #expect(!files.contains { $0.hasSuffix("journal.jsonl") })
    }
  }
}

/// So many tests at once, each with a cassette of its own and a route of its own.
private func all(_ count: Int, root: String, origin: String, mode: RecordMode) async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in
    for number in 0..<count {
      group.addTask { () async throws in
        try await withCassette("\(root)/\(number)", mode: mode) { () async throws in
          Router.register("http://mine.test").get("/") { _ in Response(text: "mine \(number)") }
          try #require(try await text("\(origin)/number/\(number)") == "\(number)")
          try #require(try await text("http://mine.test/") == "mine \(number)")
        }
      }
    }
    try await group.waitForAll()
  }
}

private func openDescriptors() throws -> Int {
  try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
}
