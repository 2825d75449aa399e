/// Something that may answer a request. `nil` means "not mine"; a thrown error means something broke.
///
/// A responder belongs to one event loop and is called on its thread only.
public protocol Responder: AnyObject {
  func respond(to request: HTTPRequest) throws -> ServedResponse?
}

/// The first responder with an answer wins. The behaviour of the product is the order of this array.
public final class ResponderChain: Responder {
  private let responders: [any Responder]

  public init(_ responders: [any Responder]) { self.responders = responders }

  /// The chain of these; one alone is its own.
  public static func of(_ responders: [any Responder]) -> any Responder {
    responders.count == 1 ? responders[0] : ResponderChain(responders)
  }

  public func respond(to request: HTTPRequest) throws -> ServedResponse? {
    for responder in responders {
      let answer = try responder.respond(to: request)
      if answer != nil { return answer }
    }
    return nil
  }
}

/// An answer, and who gave it.
public struct ServedResponse {
  /// The links of the chain, in the words of the log.
  public enum Source: String, Sendable, CaseIterable {
    case route, store, cassette, upstream, unmatched, server
  }

  public enum Content {
    case prepared(PreparedResponse)
    // Out of line: answers are handed from link to link, and most are prepared.
    indirect case response(HTTPResponse)
    case stream(any ResponseSource)
  }

  public var source: Source
  public var content: Content
  public var explanation: ResponseExplanation?
  /// The request's target as logs may show it, where that is not as it came.
  public var shownTarget: [UInt8]?
  /// Whether the connection ends with this answer.
  public var endsConnection = false

  public init(_ content: Content, by source: Source, explanation: ResponseExplanation? = nil) {
    self.content = content
    self.source = source
    self.explanation = explanation
  }
}

/// An answer that is sent many times: its head and body as they go on the wire, made once.
public final class PreparedResponse: Sendable {
  public let status: Int
  /// Status line, fields and blank line.
  public let head: [UInt8]
  /// The body as HTTP/1.1 wants it: framed in chunks when the head says so.
  public let wireBody: [UInt8]
  /// What a client of HTTP/1.0, which knows no chunks, gets instead (RFC 9112 §7.1); nil when there is no difference.
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

  /// The same body, in the same chunks, under another head, whose status lets an answer to `method` have a body just as
  /// this one's did.
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

  /// The answer it was made of, read back. A body that was never sent is not in it.
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
}

/// What a stream may do next.
public enum SinkDemand: Sendable {
  /// Send on.
  case more
  /// The client reads slowly: wait for `resume()`. What is written before that is taken, and answered with `wait`.
  case wait
  /// The client has gone; nothing more will arrive anywhere.
  case gone
}

/// Where a streamed answer goes. Called on the loop's thread, in this order: `informational`*, `begin`, `write`*, then
/// `end`, `fail` or, at any time, `abort` once.
public protocol ResponseSink: AnyObject {
  /// Passes on an interim answer (RFC 9110 §15.2).
  func informational(_ head: HTTPResponseHead)
  func begin(_ head: HTTPResponseHead, framing: BodyFraming)
  /// - Parameter endsChunk: whether these bytes complete a chunk of the origin's.
  func write(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) -> SinkDemand
  /// The body stops here without an end: nothing more comes, and the connection stays.
  func rest()
  func end(trailers: HTTPFields)
  /// The answer broke off. Before `begin` the client gets `response`; after it, visibly broken framing.
  func fail(_ response: HTTPResponse)
  /// Ends the connection instead of the answer; nothing more may come.
  func abort(_ end: ConnectionEnd)
}

/// A streamed answer, waiting for a sink to flow into. All calls come on the loop's thread.
public protocol ResponseSource: AnyObject {
  func start(into sink: any ResponseSink)
  /// The sink that said `wait` has room again.
  func resume()
  /// Nobody wants the rest: stop at once and call the sink no more.
  func cancel()
  /// The client left. The same as `cancel()`, but that what came up to now was a response to somebody.
  func clientLeft()
  /// The client will send nothing more. It may have left, or wait for its answer.
  func clientFinished()
}

extension ResponseSource {
  public func clientLeft() { cancel() }
  public func clientFinished() {}
}
