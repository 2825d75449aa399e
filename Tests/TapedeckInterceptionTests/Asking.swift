import Foundation
import FoundationNetworking
import Synchronization
import TapedeckHTTP
import TapedeckInterception
import TapedeckMocking
import TapedeckProxy
import Testing

/// What came back from a session.
struct Heard {
  var status: Int
  var body: String
  var response: HTTPURLResponse
  func field(_ name: String) -> String? { response.value(forHTTPHeaderField: name) }
}

extension URLSession {
  func ask(
    _ url: String, _ method: String = "GET", headers: [String: String] = [:], body: Data? = nil
  ) async throws -> Heard {
    var request = try URLRequest(url)
    request.httpMethod = method
    request.httpBody = body
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    return try heard(try await data(for: request))
  }

  func text(_ url: String) async throws -> String { try await ask(url).body }
}

func heard(_ answer: (Data, URLResponse)) throws -> Heard {
  let response = try #require(answer.1 as? HTTPURLResponse)
  return Heard(
    status: response.statusCode, body: String(decoding: answer.0, as: UTF8.self), response: response)
}

extension URLRequest {
  init(_ url: String, _ method: String = "GET") throws {
    self.init(url: try #require(URL(string: url)))
    httpMethod = method
  }
}

/// The error that a request ends with.
func failure(_ body: () async throws -> Void) async -> URLError? {
  do {
    try await body()
    return nil
  } catch {
    return error as? URLError
  }
}

/// A handler that answers its own name.
func says(_ text: String) -> RouteHandler { { _ in Response(text: text) } }

/// Texts of handlers that ran, from any thread.
final class Notes: Sendable {
  private let notes = Mutex<[String]>([])
  var all: [String] { notes.withLock { $0 } }
  func add(_ note: String) { notes.withLock { $0.append(note) } }
}

/// A real server, that stands for the real network.
final class Origin: Sendable {
  let router: Router
  private let proxy: ProxyServer
  var url: String { proxy.baseURL }

  init(_ router: Router = Router()) throws {
    var configuration = ProxyConfiguration()
    configuration.listen = "127.0.0.1:0"
    configuration.threads = 1
    configuration.router = router
    self.router = router
    proxy = try ProxyServer(configuration)
  }

  deinit { _ = try? proxy.stop(graceMilliseconds: 0) }
}
