/// A response serialized once, to be sent many times.
public final class PreparedResponse: Sendable {
  /// The largest message that is held as one.
  private static let maximumJoinedBytes = 8 * 1024
  // What every sending needs comes first, in one line of the processor's cache.
  /// Head and body as they are sent to a client that keeps its connection; empty where the body has memory of its own.
  package let message: [UInt8]
  public let status: Int
  /// The size of the content, without framing.
  public let contentBytes: Int
  private let headBytes: Int
  private let separate: (head: [UInt8], body: [UInt8])
  /// Status line, fields and blank line.
  public var head: [UInt8] { message.isEmpty ? separate.head : Array(message[..<headBytes]) }
  /// The body as sent with HTTP/1.1, in chunks if the head says so.
  public var wireBody: [UInt8] { message.isEmpty ? separate.body : Array(message[headBytes...]) }
  /// The response for HTTP/1.0 clients, which do not know chunks (RFC 9112 §7.1); `nil` if it is the same.
  public let unchunked: HTTPResponse?

  /// - Parameter chunks: the sizes of the body's chunks; `nil` sends it with a length.
  public init(_ response: HTTPResponse, to method: HTTPMethod, chunks: [Int]? = nil) {
    let hasNoBody = BodyFraming.hasNoBody(status: response.head.status, method: method)
    let framing: BodyFraming =
      hasNoBody ? .none : chunks == nil ? .length(response.body.count) : .chunked
    status = response.head.status
    contentBytes = hasNoBody ? 0 : response.body.count
    let head = HTTP1Serializer.openHead(response.head, framing: framing) + HTTP1Serializer.crlf
    let wireBody: [UInt8]
    switch framing {
    case .chunked:
      wireBody = Self.chunked(response, sizes: chunks ?? [])
      unchunked = response
    case .length: (wireBody, unchunked) = (response.body, nil)
    case .none, .untilClose: (wireBody, unchunked) = ([], nil)
    }
    (message, headBytes, separate) = Self.joined(head, wireBody)
  }

  private static func joined(
    _ head: [UInt8], _ body: [UInt8]
  ) -> (message: [UInt8], headBytes: Int, separate: (head: [UInt8], body: [UInt8])) {
    head.count + body.count <= maximumJoinedBytes
      ? (head + body, head.count, ([], [])) : ([], head.count, (head, body))
  }

  private init(_ prepared: PreparedResponse, status: Int, head: [UInt8], unchunked: HTTPResponse?) {
    self.status = status
    (message, headBytes, separate) = Self.joined(head, prepared.wireBody)
    self.unchunked = unchunked
    contentBytes = prepared.contentBytes
  }

  /// The head without its blank line, so that fields can be added.
  public var openHead: ArraySlice<UInt8> { head.dropLast(HTTP1Serializer.crlf.count) }

  /// The response with one more field, which must be valid.
  package func adding(_ name: StaticString, _ value: String) -> PreparedResponse {
    var fields = HTTPFields()
    fields.append(literal: name, value)
    var unchunked = unchunked
    unchunked?.head.fields.append(literal: name, value)
    let line = fields.flatMap { $0.name + ": ".utf8 + $0.value + HTTP1Serializer.crlf }
    return PreparedResponse(
      self, status: status, head: openHead + line + HTTP1Serializer.crlf, unchunked: unchunked)
  }

  /// The same body in the same chunks, with another head. Both statuses must agree on whether a response to `method` has
  /// a body.
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

  /// The original response, without a body that is not sent.
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

  /// The sizes of the body's chunks, parsed from `wireBody`; empty if the body is not chunked.
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
      // CRLF, the chunk, CRLF.
      index += size + 4
    }
    return sizes
  }
}
