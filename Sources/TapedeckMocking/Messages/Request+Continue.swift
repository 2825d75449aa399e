internal import TapedeckHTTP

extension Request {
  /// Lets the request go on: `return request.continue()`. In the proxy the cassette and the origin are next, in
  /// interception the real network. The answer goes to the client as it comes, streams included.
  public func `continue`() -> Passthrough { Passthrough() }

  /// Lets the request go on and waits for the answer, which the handler may change and return:
  /// `var response = try await request.continue()`. The whole body is held in memory.
  ///
  /// A changed copy of a request may be sent on instead of the one that came.
  public func `continue`() async throws -> Response {
    guard let next else { throw RouterError.nothingBehind(method: method.rawValue, url: url) }
    return Response(try await next(self))
  }
}

/// What a handler returns to let the request go on as if there were no route.
public struct Passthrough: CustomSerializable, Sendable {
  public init() {}

  public func customSerialized(transformingKeys keyTransformer: KeyTransformer?) -> Any? { nil }
}
