internal import TapedeckHTTP
internal import TapedeckMocking

/// A request as rules look at it: what several of them want to know is found out once, and only when one asks.
final class OverrideRequest {
  let http: HTTPRequest
  lazy var path = PathSegments(http.path)
  lazy var query = Request(http: http).queryParameters
  lazy var headers = HeaderFields(http.fields)
  lazy var json: JSONValue? = try? JSONValue(parsing: http.body)
  lazy var text = String(decoding: http.body, as: UTF8.self)

  init(_ http: HTTPRequest) { self.http = http }
}
