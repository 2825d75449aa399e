internal import TapedeckHTTP

/// An answer of the admin API.
struct AdminAnswer {
  var status: Int
  /// Nil for no body.
  var json: JSONValue?
  var fields = HTTPFields()

  init(_ json: JSONValue, status: Int = 200) {
    self.status = status
    self.json = json
  }

  private init(status: Int) { self.status = status }

  /// It is done, and there is nothing to say.
  static let done = AdminAnswer(status: 204)

  var response: HTTPResponse {
    var response =
      json.map { HTTPResponse(status: status, contentType: "application/json", body: $0.bytes(.pretty)) }
      ?? HTTPResponse(head: HTTPResponseHead(status: status))
    for field in fields { response.head.fields.append(field) }
    return response
  }
}
