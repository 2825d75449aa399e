internal import TapedeckHTTP
internal import TapedeckRecording

/// Recorded interactions as they are sent.
extension Interaction {
  /// The response as it always goes on the wire; `nil` where it depends on the client because it names the origin, is
  /// more than one head and one whole body, or does not belong in memory.
  /// - Parameters:
  ///   - rewriters: of its origin, which may be found in several ways.
  ///   - mentions: told of what names the origin and is left as it is.
  func prepared(_ rewriters: [OriginRewriter], _ mentions: OriginMentions) -> PreparedResponse? {
    let head = response.head
    rewriters.first?.search(head.fields, for: mentions) { request }
    guard case .bytes(let body) = response.body else { return nil }
    body.withUnsafeBytes { rewriters.first?.search(head, body: $0, for: mentions) { request } }
    if rewriters.contains(where: { $0.concerns(head.fields) || $0.concerns(self, body) }) { return nil }
    return isStreamed ? nil : prepared(body)
  }

  func prepared(_ body: [UInt8]) -> PreparedResponse {
    let whole = HTTPResponse(head: response.head, body: body, trailers: response.trailers)
    return PreparedResponse(whole, to: request.method, chunks: sentChunkSizes)
  }

  /// Whether interim responses go before it, or it has no end.
  var isStreamed: Bool { !response.interim.isEmpty || response.isCutByClient }

  /// A response that ended with its connection goes out in one chunk: its length was not known then either.
  private var sentChunkSizes: [Int]? {
    response.chunkSizes ?? (response.isCloseDelimited || response.isCutByClient ? [] : nil)
  }

  /// How the response is framed for the client where it is streamed.
  var sentFraming: BodyFraming {
    if BodyFraming.hasNoBody(status: response.head.status, method: request.method) { return .none }
    return sentChunkSizes == nil ? .length(response.body.count) : .chunked
  }
}

extension HTTPResponse {
  /// What a client gets when a recorded body cannot be read any more.
  static func unreadable(_ error: any Error) -> HTTPResponse {
    HTTPResponse(status: 500, contentType: "text/plain; charset=utf-8", body: Array("\(error)\n".utf8))
  }
}
