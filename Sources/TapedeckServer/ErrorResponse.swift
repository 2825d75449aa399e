internal import TapedeckHTTP

/// The answers a server gives on its own account, as RFC 9457 problem documents. Nothing of the request is repeated in
/// them.
enum ErrorResponse {
  static let notFound = problem(404, "nothing here answers this request")
  static let requestTimeout = problem(408, "the request did not arrive in time")
  static let tooMuchHeld = problem(503, "there are too many request bodies in memory; try again in a moment")
  static let tooManyConnections = problem(503, "there are too many connections; try again in a moment")

  static func badMessage(_ error: HTTPParseError) -> HTTPResponse { problem(error.status, error.description) }

  static func internalError(_ detail: String) -> HTTPResponse { problem(500, detail) }

  private static func problem(_ status: Int, _ detail: String) -> HTTPResponse {
    let document: JSONValue = [
      "title": JSONValue(HTTPStatus.reason(status)), "status": JSONValue(status), "detail": JSONValue(detail),
    ]
    return HTTPResponse(
      status: status, contentType: "application/problem+json", body: document.bytes(.pretty))
  }
}
