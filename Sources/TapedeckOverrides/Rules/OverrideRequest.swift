internal import TapedeckHTTP
internal import TapedeckMocking

/// A request as rules look at it: what several of them want to know is found out once, and only when one asks.
final class OverrideRequest {
  let http: HTTPRequest
  lazy var path = PathSegments(http.path)
  /// With `+` for a blank, as recordings are compared too.
  lazy var query = http.query.map { QueryItem.parse($0, plusIsSpace: true) } ?? []
  lazy var headers = HeaderFields(http.fields)
  lazy var json: JSONValue? = try? JSONValue(parsing: http.body)
  lazy var text = String(decoding: http.body, as: UTF8.self)
  lazy var form = Request(http: http).form

  init(_ http: HTTPRequest) { self.http = http }
}
