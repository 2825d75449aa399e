public import TapedeckHTTP

/// The door without any wire: for unit tests, and for whoever carries requests here.
extension Router {
  /// The answer of the route that takes the request; nil when none does, or when its handler lets the request go on.
  /// Waits for the route's latency; cancelled before that is over, it throws `CancellationError` and the handler does
  /// not run.
  public func respond(to request: Request) async throws -> HTTPResponse? {
    guard let match = match(request) else { return nil }
    if match.latencyNanoseconds > 0 { try await Task.sleep(nanoseconds: UInt64(match.latencyNanoseconds)) }
    try Task.checkCancellation()
    switch await match.answer(next: nil) {
    case .response(let response):
      return request.method == .head ? HTTPResponse(head: response.head) : response
    case .stream(let head, let stream): return try await HTTPResponse(head: head, body: stream.collected())
    case .passthrough: return nil
    }
  }

  /// The answer of a handler that is not async, without the route's latency.
  public func respond(to request: HTTPRequest) throws -> HTTPResponse? {
    guard let match = match(Request(http: request), at: .server) else { return nil }
    guard case .response(let response) = match.answer() else { return nil }
    return response
  }
}
