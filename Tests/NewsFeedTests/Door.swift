import Foundation
import FoundationNetworking
import NewsFeed
import Tapedeck
import Testing

private let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()

/// Where requests come in.
enum Door: CaseIterable, Sendable {
  /// A proxy in front of a cassette.
  case proxy
  /// A local server: nothing stands behind the routes.
  case server
}

/// A news feed behind a door, and a client in front of it.
final class Feed {
  let backend: NewsFeedBackend
  private let url: String
  private let session: URLSession
  private let proxy: ProxyServer

  init(_ door: Door, scenario: String = "small") throws {
    backend = try NewsFeedBackend(scenario: scenario, now: { "2026-01-31T12:00:00Z" })
    var configuration = ProxyConfiguration()
    configuration.listen = "127.0.0.1:0"
    configuration.threads = 1
    configuration.router = Router("https://kakapobook.com/api/")
    backend.addRoutes(to: configuration.router)
    if door == .proxy { configuration.cassette = repository.appending(path: "Cassettes/httpbin").path }
    proxy = try ProxyServer(configuration)
    url = "\(proxy.baseURL)/api/"
    session = URLSession(configuration: .ephemeral)
  }

  deinit { _ = try? proxy.stop(graceMilliseconds: 0) }

  struct Heard {
    let status: Int
    let json: JSONValue
    let fields: [String: String]

    /// The ids of an array of entities.
    var ids: [String] { json.array?.compactMap { $0["id"]?.text } ?? [] }
  }

  func ask(_ path: String, _ method: String = "GET", _ body: JSONValue? = nil) async throws -> Heard {
    var request = URLRequest(url: try #require(URL(string: url + path)))
    request.httpMethod = method
    if let body {
      request.httpBody = Data(body.bytes())
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    }
    let (data, response) = try await session.data(for: request)
    let http = try #require(response as? HTTPURLResponse)
    var fields: [String: String] = [:]
    for (name, value) in http.allHeaderFields { fields["\(name)".lowercased()] = "\(value)" }
    return Heard(status: http.statusCode, json: try JSONValue(parsing: Array(data)), fields: fields)
  }
}
