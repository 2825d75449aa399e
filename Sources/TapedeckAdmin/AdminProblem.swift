internal import TapedeckHTTP

/// Why a request to the admin API came to nothing (RFC 9457).
struct AdminProblem: Error {
  var status: Int
  var detail: String
  /// What in the request's body is meant, like `when.query`.
  var place: String?
  var fields = HTTPFields()

  init(_ status: Int, _ detail: String, place: String? = nil) {
    self.status = status
    self.detail = detail
    self.place = place
  }

  var response: HTTPResponse {
    var members = [
      JSONMember("title", JSONValue(HTTPStatus.reason(status))), JSONMember("status", JSONValue(status)),
      JSONMember("detail", JSONValue(detail)),
    ]
    if let place, !place.isEmpty { members.append(JSONMember("place", JSONValue(place))) }
    var response = HTTPResponse(
      status: status, contentType: "application/problem+json", body: JSONValue.object(members).bytes(.pretty))
    for field in fields { response.head.fields.append(field) }
    return response
  }
}
