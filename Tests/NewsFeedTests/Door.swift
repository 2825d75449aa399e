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
  /// `URLSession` itself, in a session of its own.
  case session
  /// `URLSession.shared`, within this test.
  case shared
}

/// A news feed behind a door, and a client in front of it.
final class Feed {
  static let base = "https://kakapobook.com/api/"

  let backend: NewsFeedBackend
  let url: String
  private let session: URLSession
  private let proxy: ProxyServer?
  private let interception: Interception?

  init(_ door: Door, scenario: String = "small") throws {
    backend = try NewsFeedBackend(scenario: scenario, now: { "2026-01-31T12:00:00Z" })
    let router = Router(Self.base)
    backend.addRoutes(to: router)
    if door == .session || door == .shared {
      let interception = Interception(unmatched: .fail)
      interception.add(router)
      (url, proxy, self.interception) = (Self.base, nil, interception)
      session = door == .shared ? .shared : URLSession(configuration: interception.configuration)
      return
    }
    var configuration = ProxyConfiguration()
    configuration.listen = "127.0.0.1:0"
    configuration.threads = 1
    configuration.router = router
    if door == .proxy { configuration.cassette = repository.appending(path: "Cassettes/httpbin").path }
    let proxy = try ProxyServer(configuration)
    (url, self.proxy, interception) = ("\(proxy.baseURL)/api/", proxy, nil)
    session = URLSession(configuration: .ephemeral)
  }

  deinit { _ = try? proxy?.stop(graceMilliseconds: 0) }

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
    let (data, response) = try await send(request)
    let http = try #require(response as? HTTPURLResponse)
    var fields: [String: String] = [:]
    for (name, value) in http.allHeaderFields { fields["\(name)".lowercased()] = "\(value)" }
    return Heard(status: http.statusCode, json: try JSONValue(parsing: Array(data)), fields: fields)
  }

  private func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
    guard let interception, session === URLSession.shared else { return try await session.data(for: request) }
    return try await interception.run { try await session.data(for: request) }
  }
}
