import Foundation
import FoundationNetworking
import Tapedeck
import Testing

/// A folder for one test's cassette.
private struct Place {
  let path = FileManager.default.temporaryDirectory.appending(path: "scoped-\(UUID().uuidString)").path

  func remove() { try? FileManager.default.removeItem(atPath: path) }

  /// Whether it holds the interaction, sealed.
  var isSealed: Bool {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.contains { $0.hasPrefix("get-user") } && !names.contains("journal.jsonl")
  }

  func recording(_ origin: Running) -> ProxyConfiguration {
    ProxyConfiguration(listen: "127.0.0.1:0", upstream: origin.url, cassette: path, mode: .once)
  }
}

private struct Refusal: Error {}

@Suite struct `A proxy for the length of a closure` {
  private let place = Place()

  private func origin() throws -> Running {
    try Running([MockRoute(method: .get, endpoint: "user", code: 200, json: #"{"name":"Ada"}"#)])
  }

  @Test func `returns the closure's value, and is stopped and sealed by then`() async throws {
    defer { place.remove() }
    let origin = try origin()
    let (proxy, answer) = try await ProxyServer.run(place.recording(origin)) { proxy in
      (proxy, try await ask("\(proxy.baseURL)/user"))
    }
    #expect(answer.status == 200 && answer.body == #"{"name":"Ada"}"#)
    #expect(place.isSealed)
    await #expect(throws: ProxyError.stopped) { try await proxy.respond(to: Request("/user")) }
  }

  @Test func `throws the closure's error, and seals what was recorded before`() async throws {
    defer { place.remove() }
    let origin = try origin()
    await #expect(throws: Refusal.self) {
      try await ProxyServer.run(place.recording(origin)) { proxy in
        _ = try await ask("\(proxy.baseURL)/user")
        throw Refusal()
      }
    }
    #expect(place.isSealed)
  }

  @Test func `throws when what was recorded cannot be saved, and keeps it in the journal`() async throws {
    defer { place.remove() }
    // A token in bytes that are no text, which no placeholder can replace.
    let token = "ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2"
    let origin = ProxyConfiguration(listen: "127.0.0.1:0")
    origin.router.get("/user") { _ in
      Response(data: [0, 1] + Array(token.utf8) + [0xFF])
    }
    let server = try ProxyServer(origin)
    defer { _ = try? server.stop() }
    var configuration = ProxyConfiguration(
      listen: "127.0.0.1:0", upstream: server.baseURL, cassette: place.path, mode: .once)
    configuration.secrets = .refuse
    let error = await #expect(throws: ProxyError.self) {
      try await ProxyServer.run(configuration) { proxy in
        let url = try #require(URL(string: "\(proxy.baseURL)/user"))
        _ = try await URLSession.shared.data(from: url)
      }
    }
    guard case .notSealed(let problem)? = error else {
      Issue.record("not \(String(describing: error))")
      return
    }
    #expect(problem.contains(place.path))
    #expect("\(try #require(error))".hasPrefix("the cassette was not saved: "))
    #expect(!place.isSealed)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path).contains("journal.jsonl"))
  }

  @Test func `is stopped and sealed when its task is cancelled`() async throws {
    defer { place.remove() }
    let origin = try origin()
    let (asked, yield) = AsyncStream.makeStream(of: Void.self)
    let configuration = place.recording(origin)
    let task = Task {
      try await ProxyServer.run(configuration) { proxy in
        _ = try await ask("\(proxy.baseURL)/user")
        yield.finish()
        try await Task.sleep(for: .seconds(3600))
      }
    }
    for await _ in asked {}
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(place.isSealed)
  }
}
