/// A response that is sent many times: its head and body as they go on the wire, made once.
public final class PreparedResponse: Sendable {
  public let status: Int
  /// Status line, fields and blank line.
  public let head: [UInt8]
  /// The body as HTTP/1.1 wants it: framed in chunks when the head says so.
  public let wireBody: [UInt8]
  /// What a client of HTTP/1.0, which knows no chunks, gets instead (RFC 9112 §7.1); `nil` when there is no difference.
  public let unchunked: HTTPResponse?
  /// How many bytes of content there are, without framing.
  public let contentBytes: Int

  /// - Parameter chunks: sizes of the chunks to send the body in; nil sends it with its length.
  public init(_ response: HTTPResponse, to method: HTTPMethod, chunks: [Int]? = nil) {
    let hasNoBody = BodyFraming.hasNoBody(status: response.head.status, method: method)
    let framing: BodyFraming =
      hasNoBody ? .none : chunks == nil ? .length(response.body.count) : .chunked
    status = response.head.status
    contentBytes = hasNoBody ? 0 : response.body.count
    head = HTTP1Serializer.openHead(response.head, framing: framing) + HTTP1Serializer.crlf
    switch framing {
    case .chunked:
      wireBody = Self.chunked(response, sizes: chunks ?? [])
      unchunked = response
    case .length: (wireBody, unchunked) = (response.body, nil)
    case .none, .untilClose: (wireBody, unchunked) = ([], nil)
    }
  }

  private init(_ prepared: PreparedResponse, status: Int, head: [UInt8], unchunked: HTTPResponse?) {
    self.status = status
    self.head = head
    wireBody = prepared.wireBody
    self.unchunked = unchunked
    contentBytes = prepared.contentBytes
  }

  /// The head without its blank line, so that a field may follow.
  public var openHead: ArraySlice<UInt8> { head.dropLast(HTTP1Serializer.crlf.count) }

  /// The same with one more field, which is valid.
  package func adding(_ name: StaticString, _ value: String) -> PreparedResponse {
    var fields = HTTPFields()
    fields.append(literal: name, value)
    var unchunked = unchunked
    unchunked?.head.fields.append(literal: name, value)
    let line = fields.flatMap { $0.name + ": ".utf8 + $0.value + HTTP1Serializer.crlf }
    return PreparedResponse(
      self, status: status, head: openHead + line + HTTP1Serializer.crlf, unchunked: unchunked)
  }

  /// The same body, in the same chunks, under another head. The head's status must allow a body in a response to `method`
  /// just as this one's did.
  package func replacing(head: HTTPResponseHead, method: HTTPMethod) -> PreparedResponse {
    let hasNoBody = BodyFraming.hasNoBody(status: head.status, method: method)
    let framing: BodyFraming =
      hasNoBody ? .none : unchunked == nil ? .length(wireBody.count) : .chunked
    var unchunked = unchunked
    unchunked?.head = head
    return PreparedResponse(
      self, status: head.status,
      head: HTTP1Serializer.openHead(head, framing: framing) + HTTP1Serializer.crlf,
      unchunked: unchunked)
  }

  /// The response it was made of, read back. A body that was never sent is not in it.
  public var response: HTTPResponse? {
    if let unchunked { return unchunked }
    guard let head = try? HTTP1ResponseHeadParser.parse(head) else { return nil }
    return HTTPResponse(head: head, body: wireBody)
  }

  private static func chunked(_ response: HTTPResponse, sizes: [Int]) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(response.body.count + sizes.count * 8 + 64)
    var start = 0
    for size in sizes + [response.body.count] {
      let end = min(start + size, response.body.count)
      guard end > start else { continue }
      HTTP1Serializer.appendChunkHead(end - start, to: &out)
      out += response.body[start..<end]
      out += HTTP1Serializer.crlf
      start = end
    }
    HTTP1Serializer.appendLastChunk(trailers: response.trailers, to: &out)
    return out
  }

  /// The sizes of the chunks it is framed in, read back from our own framing; none where it is not.
  package var chunkSizes: [Int] {
    guard unchunked != nil else { return [] }
    var sizes: [Int] = []
    var index = 0
    while index < wireBody.count {
      var size = 0
      while let digit = ASCII.hexValue(wireBody[index]) {
        size = size << 4 | Int(digit)
        index += 1
      }
      if size == 0 { return sizes }
      sizes.append(size)
      // The line's end, the chunk, and its end.
      index += size + 4
    }
    return sizes
  }
}
