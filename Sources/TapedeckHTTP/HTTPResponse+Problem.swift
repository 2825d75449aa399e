extension HTTPResponse {
  /// A refusal of our own, as problem details (RFC 9457); logs give the same reason.
  /// - Parameters:
  ///   - detail: holds no header, target or body of the exchange.
  ///   - cause: in the words of RFC 9209 §2.3.
  package static func problem(
    _ status: Int, _ detail: String, cause: String = "http_request_error"
  ) -> HTTPResponse {
    let document: JSONValue = [
      "title": JSONValue(HTTPStatus.reason(status)), "status": JSONValue(status), "detail": JSONValue(detail),
    ]
    var response = HTTPResponse(
      status: status, contentType: "application/problem+json", body: document.bytes(.pretty))
    response.failure = ExchangeFailure(cause: cause, detail: detail)
    return response
  }
}
