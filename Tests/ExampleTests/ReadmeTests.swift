import Foundation
import FoundationNetworking
import Tapedeck
import Testing

private let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()

private func get(_ url: String) async throws -> (status: Int, body: String) {
  let (data, response) = try await URLSession.shared.data(from: #require(URL(string: url)))
  return (try #require(response as? HTTPURLResponse).statusCode, String(decoding: data, as: UTF8.self))
}

/// What the README's Swift example shows, on the cassette that comes with the repository.
@Test func `one endpoint is down, the rest is as recorded`() async throws {
  var configuration = ProxyConfiguration()
  configuration.listen = "127.0.0.1:0"
  configuration.cassette = repository.appending(path: "Cassettes/httpbin").path
  configuration.router.get("/status/{code}") { request in
    Response(statusCode: 503, json: ["code": JSONValue(request.components["code"] ?? "")])
  }
  let proxy = try ProxyServer(configuration)

  let overridden = try await get("\(proxy.baseURL)/status/404")
  #expect(overridden.status == 503)
  #expect(overridden.body == #"{"code":"404"}"#)
  #expect(try await get("\(proxy.baseURL)/json").body.contains("Wake up to WonderWidgets!"))
  var uuids: [String] = []
  for _ in 0..<3 { uuids.append(try await get("\(proxy.baseURL)/uuid").body) }
  #expect(Set(uuids).count == 3)
  #expect(try await get("\(proxy.baseURL)/nothing").status == 502)

  let summary = try proxy.stop()
  #expect(summary.overridden == 1)
  #expect(summary.replayed == 4)
  #expect(summary.unmatched == 1)
  #expect(summary.upstreamConnections == 0)
}

@Test func `a cassette that is not there is an error that says what to do`() {
  var configuration = ProxyConfiguration()
  configuration.cassette = "/nonexistent/cassette"
  #expect {
    _ = try ProxyServer(configuration)
  } throws: { error in
    "\(error)".contains("/nonexistent/cassette") && "\(error)".contains("tapedeck record")
  }
}
