package import Synchronization
package import TapedeckHTTP
package import TapedeckMocking
import Testing

/// What the wildcards of a route catch; nil when the route is not for the URL.
package func captures(_ base: String, _ path: String, _ url: String) -> [String: String]? {
  let router = Router(base)
  router.get(path) { _ in nil }
  return router.match(Request(url))?.request.components
}

/// A request as a handler gets it.
package func matched(_ base: String, _ path: String, _ url: String) -> Request? {
  let router = Router(base)
  router.get(path) { _ in nil }
  return router.match(Request(url))?.request
}

/// A handler that answers its own name.
package func says(_ text: String) -> RouteHandler { { _ in Response(text: text) } }

extension Router {
  /// The text of the answer; nil when no route takes the request.
  package func text(
    _ url: String, _ method: HTTPMethod = .get, headers: HeaderFields = [:], body: String = ""
  )
    async throws -> String?
  {
    try await answer(url, method, headers: headers, body: body)?.text
  }

  package func answer(
    _ url: String, _ method: HTTPMethod = .get, headers: HeaderFields = [:], body: String = ""
  )
    async throws -> HTTPResponse?
  {
    try await respond(to: Request(url, method: method, headers: headers, body: Array(body.utf8)))
  }

  /// The answer of a route that has to be there.
  package func answered(_ url: String, _ method: HTTPMethod = .get) async throws -> HTTPResponse {
    try #require(try await answer(url, method))
  }
}

extension HTTPResponse {
  package var text: String { String(decoding: body, as: UTF8.self) }

  package func field(_ name: String) -> String? { HeaderFields(head.fields)[name] }
}

/// Texts of a handler that ran, from any thread.
package actor Notes {
  package private(set) var all: [String] = []

  package init() {}

  package func add(_ note: String) { all.append(note) }
}

/// A value that several threads see.
package final class Box<Value: Sendable>: Sendable {
  package let value = Mutex<Value?>(nil)

  package init() {}
}
