import Synchronization
import TapedeckHTTP
import TapedeckMocking
import Testing

/// What the wildcards of a route catch; nil when the route is not for the URL.
func captures(_ base: String, _ path: String, _ url: String) -> [String: String]? {
  let router = Router(base)
  router.get(path) { _ in nil }
  return router.match(Request(url))?.request.components
}

/// A request as a handler gets it.
func matched(_ base: String, _ path: String, _ url: String) -> Request? {
  let router = Router(base)
  router.get(path) { _ in nil }
  return router.match(Request(url))?.request
}

/// A handler that answers its own name.
func says(_ text: String) -> RouteHandler { { _ in Response(text: text) } }

extension Router {
  /// The text of the answer; nil when no route takes the request.
  func text(_ url: String, _ method: HTTPMethod = .get, headers: HeaderFields = [:], body: String = "")
    async throws -> String?
  {
    try await answer(url, method, headers: headers, body: body)?.text
  }

  func answer(_ url: String, _ method: HTTPMethod = .get, headers: HeaderFields = [:], body: String = "")
    async throws -> HTTPResponse?
  {
    try await respond(to: Request(url, method: method, headers: headers, body: Array(body.utf8)))
  }

  /// The answer of a route that has to be there.
  func answered(_ url: String, _ method: HTTPMethod = .get) async throws -> HTTPResponse {
    try #require(try await answer(url, method))
  }
}

extension HTTPResponse {
  var text: String { String(decoding: body, as: UTF8.self) }

  func field(_ name: String) -> String? { HeaderFields(head.fields)[name] }
}

/// Texts of a handler that ran, from any thread.
actor Notes {
  private(set) var all: [String] = []
  func add(_ note: String) { all.append(note) }
}

/// A value that several threads see.
final class Box<Value: Sendable>: Sendable {
  let value = Mutex<Value?>(nil)
}
