extension HTTPResponse {
  /// Sends the whole response to a request with this method.
  package func send(into sink: any ResponseSink, to method: HTTPMethod) {
    let hasNoBody = BodyFraming.hasNoBody(status: head.status, method: method)
    sink.begin(head, framing: hasNoBody ? .none : .length(body.count))
    if !hasNoBody, !body.isEmpty { _ = body.withUnsafeBytes { sink.write($0, endsChunk: true) } }
    sink.end(trailers: trailers)
  }
}

extension PreparedResponse {
  /// Sends the whole response, in its own chunks, to a request with this method.
  package func send(into sink: any ResponseSink, to method: HTTPMethod) {
    guard let response else { return sink.fail(HTTPResponse(head: HTTPResponseHead(status: 500))) }
    guard let unchunked, contentBytes > 0 else { return response.send(into: sink, to: method) }
    sink.begin(unchunked.head, framing: .chunked)
    var start = 0
    for size in chunkSizes {
      unchunked.body.withUnsafeBytes { body in
        _ = sink.write(UnsafeRawBufferPointer(rebasing: body[start..<start + size]), endsChunk: true)
      }
      start += size
    }
    sink.end(trailers: unchunked.trailers)
  }
}
