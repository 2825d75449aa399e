internal import Glibc
internal import Synchronization
internal import TapedeckHTTP
internal import TapedeckMocking
internal import TapedeckProxy

/// A small live API for the demo: users that can be added, and a clock, so that something changes between requests.
enum SampleBackend {
  private final class Users: Sendable {
    let names = Mutex(["Octocat"])
  }

  static func start() throws -> ProxyServer {
    var configuration = ProxyConfiguration()
    configuration.listen = "127.0.0.1:0"
    addRoutes(to: configuration.router)
    return try ProxyServer(configuration)
  }

  private static func addRoutes(to router: Router) {
    let users = Users()
    router.get("/users/{id}") { request in
      let id = Int(request.components["id"] ?? "") ?? 0
      let name = users.names.withLock { $0.indices.contains(id - 1) ? $0[id - 1] : nil }
      return name.map { Response(json: user(id, $0)) }
        ?? Response(statusCode: 404, json: ["error": "no such user"])
    }
    router.post("/users") { request in
      guard let name = (try? request.json())?["name"]?.text else {
        return Response(statusCode: 422, json: ["error": "a user needs a name"])
      }
      let id = users.names.withLock { names in
        names.append(name)
        return names.count
      }
      return Response(statusCode: 201, json: user(id, name))
    }
    router.get("/time") { _ in
      var now = timespec()
      clock_gettime(CLOCK_REALTIME, &now)
      return Response(json: ["seconds": JSONValue(now.tv_sec), "nanoseconds": JSONValue(now.tv_nsec)])
    }
  }

  private static func user(_ id: Int, _ name: String) -> JSONValue {
    ["id": JSONValue(id), "name": JSONValue(name)]
  }
}
