extension HTTPResponse {
  /// A refusal of our own, as problem details (RFC 9457); logs give the same reason.
  /// - Parameters:
  ///   - detail: holds no header, target or body of the exchange.
  ///   - title: the reason phrase of the status where it is not given.
  ///   - cause: in the words of RFC 9209 §2.3.
  package static func problem(
    _ status: Int, _ detail: String, title: String? = nil, cause: String = "http_request_error"
  ) -> HTTPResponse {
    let document: JSONValue = [
      "title": JSONValue(title ?? HTTPStatus.reason(status)), "status": JSONValue(status),
      "detail": JSONValue(detail),
    ]
    var response = HTTPResponse(
      status: status, contentType: "application/problem+json", body: document.bytes(.pretty))
    response.failure = ExchangeFailure(cause: cause, detail: detail)
    return response
  }
}
