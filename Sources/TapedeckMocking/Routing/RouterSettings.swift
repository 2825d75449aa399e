/// What holds for all routes of a router.
struct RouterSettings: Sendable {
  var latency: Latency?
  var nilStatusCode = 200
  var isPathCaseSensitive = true
  var format = SerializationFormat()
  /// The first one is the outermost.
  var middleware: [Middleware] = []
}
