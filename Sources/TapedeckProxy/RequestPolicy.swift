internal import TapedeckHTTP
internal import TapedeckRecording

/// What a proxy owes a request before anyone is asked for an answer (RFC 9110 §7.6, §9.3.8): not to echo it, not to
/// send it round in circles, to count its hops, and not to take a WebSocket handshake for a plain GET.
enum RequestPolicy {
  enum Verdict: Equatable {
    /// On to the chain, perhaps with one hop less to go.
    case pass(HTTPRequest)
    case answer(HTTPResponse)
  }

  /// The name that a proxy of this kind has in `Via`.
  private static let pseudonym: StaticString = "tapedeck"
  private static let methods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"

  /// Whether there is anything to look at, as there is not in nearly all requests.
  static func concerns(_ request: HTTPRequest) -> Bool {
    request.method != .get && (request.method == .trace || request.method == .options)
      || request.asksForUpgrade || request.fields.contains("via")
  }

  static func verdict(on request: HTTPRequest) -> Verdict {
    // RFC 9110 §7.6.3: our own name there means that the request has been here.
    if request.fields.hasPassed(pseudonym) {
      return .answer(problem(508, "the request has passed this proxy before"))
    }
    if request.asksForWebSocket { return .answer(problem(501, webSocketDetail)) }
    if request.method == .trace { return .answer(trace(request)) }
    if request.method == .options { return options(request) }
    return .pass(request)
  }

  private static let webSocketDetail =
    "the request opens a WebSocket, which is neither forwarded nor recorded yet; the origin was not asked"

  /// RFC 9110 §9.3.8: an echo would hand cookies and credentials to whoever made the client ask.
  private static func trace(_ request: HTTPRequest) -> HTTPResponse {
    guard request.body.isEmpty, !request.fields.contains("content-length"),
      !request.fields.contains("transfer-encoding")
    else { return problem(400, "a TRACE request has no body") }
    var response = problem(405, "TRACE is not answered here, nor passed on")
    response.head.fields.append(literal: "Allow", methods)
    return response
  }

  /// RFC 9110 §7.6.2: the last recipient answers; any other counts down.
  private static func options(_ request: HTTPRequest) -> Verdict {
    let hops: Int?
    do { hops = try request.fields.maxForwards() } catch {
      return .answer(problem(error.status, error.description))
    }
    guard let hops else { return .pass(request) }
    guard hops > 0 else {
      var fields = HTTPFields()
      fields.append(literal: "Allow", methods)
      return .answer(HTTPResponse(head: HTTPResponseHead(status: 204, fields: fields)))
    }
    var onward = request
    for (index, field) in request.fields.enumerated() where field.isNamed("max-forwards") {
      // Digits are always a valid value.
      try? onward.fields.replaceValue(at: index, with: Array("\(hops - 1)".utf8))
    }
    return .pass(onward)
  }

  static func problem(_ status: Int, _ detail: String) -> HTTPResponse {
    .problem(status, detail)
  }
}
