import Foundation
import FoundationNetworking
import Tapedeck
import Testing

/// A HAR file of several hosts, each of which says its name.
private func recording(of urls: [String]) throws -> URL {
  let entries = urls.map { url -> [String: Any] in
    [
      "startedDateTime": "2026-11-22T00:00:00Z", "time": 1,
      "request": ["method": "GET", "url": url, "headers": []],
      "response": [
        "status": 200, "headers": [["name": "Content-Type", "value": "text/plain"]],
        "content": ["text": url, "mimeType": "text/plain"],
      ],
    ]
  }
  let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).har")
  try JSONSerialization.data(withJSONObject: ["log": ["version": "1.2", "entries": entries]]).write(to: file)
  return file
}

/// A forward proxy that replays them.
private func replayingProxy(_ urls: [String]) throws -> ProxyServer {
  let file = try recording(of: urls)
  defer { try? FileManager.default.removeItem(at: file) }
  var configuration = ProxyConfiguration()
  configuration.listen = "127.0.0.1:0"
  configuration.threads = 2
  configuration.forward = ForwardProxy()
  configuration.cassette = file.path
  return try ProxyServer(configuration)
}

private func text(_ url: String, from session: URLSession) async throws -> (status: Int, text: String) {
  let (data, response) = try await session.data(from: try #require(URL(string: url)))
  return (try #require(response as? HTTPURLResponse).statusCode, String(decoding: data, as: UTF8.self))
}

private let urls = [
  "https://a.test/users", "https://b.test/users", "https://b.test:8443/users", "http://a.test/users",
]

@Suite struct `A cassette of many hosts behind URLSession` {
  @Test func `serves intercepted requests by their origins`() async throws {
    let proxy = try replayingProxy(urls)
    let interception = Interception(unmatched: .fail)
    interception.register("").any("*rest") { try await proxy.respond(to: $0) }
    let session = URLSession(configuration: interception.configuration)
    for url in urls { #expect(try await text(url, from: session) == (200, url)) }
    let missed = try await text("https://c.test/users", from: session)
    #expect(missed.status == 502 && missed.text.contains("https://c.test"))
    let summary = try proxy.stop()
    #expect((summary.replayed, summary.unmatched) == (4, 1))
    await #expect(throws: ProxyError.stopped) { try await proxy.respond(to: Request(urls[0])) }
  }

  @Test func `serves a session through http_proxy, and none through connectionProxyDictionary`() async {
    await #expect(processExitsWith: .success) {
      let urls = ["http://a.test/users", "http://b.test/users"]
      let proxy = try replayingProxy(urls)
      let port = try #require(URL(string: proxy.baseURL)?.port)
      let configuration = URLSessionConfiguration.ephemeral
      configuration.connectionProxyDictionary = [
        "HTTPEnable": 1, "HTTPProxy": "127.0.0.1", "HTTPPort": port,
      ]
      for name in ["http_proxy", "no_proxy", "NO_PROXY"] { unsetenv(name) }
      await #expect(throws: URLError.self) {
        _ = try await text(urls[0], from: URLSession(configuration: configuration))
      }
      setenv("http_proxy", proxy.baseURL, 1)
      for url in urls {
        #expect(try await text(url, from: URLSession(configuration: .ephemeral)) == (200, url))
      }
      _ = try proxy.stop()
    }
  }
}
