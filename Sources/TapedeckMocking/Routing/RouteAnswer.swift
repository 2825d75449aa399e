package import TapedeckHTTP

/// What became of a request that a route took.
package enum RouteAnswer: Sendable {
  case response(HTTPResponse)
  case stream(HTTPResponseHead, BodyStream)
  /// The request goes on as if there were no route.
  case passthrough
}
