internal import TapedeckHTTP

/// A request as the origin gets it, and how much of it has gone.
///
/// Transparent on purpose: every end-to-end field of the client goes on in its order and spelling, and nothing is added
/// that framing does not demand. No `X-Forwarded-*`, and no `Via`, though RFC 9110 §7.6.3 wants one of a gateway: the
/// origin shall answer as it would have answered the client, for that answer is what gets recorded.
struct OutgoingRequest {
  /// A body up to this size goes out together with the head.
  private static let joinedBodyBytes = 16 * 1024

  /// The head, with a small body behind it.
  private(set) var start: [UInt8] = []
  /// A large body; never copied.
  private let rest: [UInt8]
  /// What stands behind a large body: the last chunk, with the trailers.
  private var end: [UInt8] = []
  /// How many bytes have gone.
  private(set) var sent = 0

  /// - Parameter fields: what `fields(of:_:)` says.
  init(_ request: HTTPRequest, fields: HTTPFields, _ configuration: UpstreamConfiguration) {
    let isJoined = request.body.count <= Self.joinedBodyBytes
    let isChunked = !request.trailers.isEmpty
    rest = isJoined ? [] : request.body
    start.reserveCapacity(request.target.count + 512 + (isJoined ? request.body.count : 0))
    appendRequestLine(request, prefix: configuration.origin.pathPrefix)
    for index in fields.indices {
      fields.withBytes(at: index) { name, value in append(name, value) }
    }
    if isChunked { start += "Transfer-Encoding: chunked\r\n".utf8 }
    // RFC 9110 §10.1.4: who sends TE names it in Connection.
    if request.acceptsTrailers { start += "TE: trailers\r\nConnection: TE\r\n".utf8 }
    start += HTTP1Serializer.crlf
    if isChunked, !request.body.isEmpty {
      HTTP1Serializer.appendChunkHead(request.body.count, to: &start)
      end += HTTP1Serializer.crlf
    }
    if isChunked { HTTP1Serializer.appendLastChunk(trailers: request.trailers, to: &end) }
    if isJoined {
      start += request.body + end
      end = []
    }
  }

  private mutating func appendRequestLine(_ request: HTTPRequest, prefix: String) {
    start += request.method.rawValue.utf8
    start.append(UInt8(ascii: " "))
    // RFC 9112 §3.2.4: the asterisk stands for the server as a whole, and has no path to put a prefix before.
    if !prefix.isEmpty, request.target != [UInt8(ascii: "*")] { start += prefix.utf8 }
    start += request.target
    start += " HTTP/1.1\r\n".utf8
  }

  private mutating func append(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
    start.append(contentsOf: name)
    start.append(UInt8(ascii: ":"))
    if !value.isEmpty {
      start.append(UInt8(ascii: " "))
      start.append(contentsOf: value)
    }
    start += HTTP1Serializer.crlf
  }

  var count: Int { start.count + rest.count + end.count }
  var isSent: Bool { sent == count }

  /// Lends what comes next and is still to be sent; nil when all is.
  func withNext<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
    if sent < start.count {
      return start.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[sent...])) }
    }
    let beyondStart = sent - start.count
    if beyondStart < rest.count {
      return rest.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[beyondStart...])) }
    }
    guard !isSent else { return nil }
    return end.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[(beyondStart - rest.count)...])) }
  }

  mutating func advance(by count: Int) { sent += count }

  /// Begins anew, on another connection.
  mutating func rewind() { sent = 0 }
}

// MARK: - What is sent on

extension OutgoingRequest {
  /// The fields that the origin gets, in order, but for those of the connection: `Transfer-Encoding` and `TE`.
  static func fields(of request: HTTPRequest, _ configuration: UpstreamConfiguration) -> HTTPFields {
    var kept = request.fields
    kept.removeHopByHop()
    // RFC 9110 §11.7.1: a challenge of a proxy is for answers; in a request it means nothing to the origin.
    kept.removeAll("proxy-authenticate")
    if request.trailers.isEmpty { kept.removeAll("trailer") }
    var fields = HTTPFields()
    fields.reserveCapacity(like: kept)
    fields.append(literal: "Host", host(request, configuration))
    var hasLength = false
    var hasEncoding = false
    for index in kept.indices {
      // RFC 9110 §10.1.1: the expectation was met by us, who have the whole body already.
      if kept.isNamed("host", at: index) || kept.isNamed("expect", at: index) { continue }
      if kept.isNamed("content-length", at: index) {
        if !hasLength, request.trailers.isEmpty { fields.append(kept[index], value: "\(request.body.count)") }
        hasLength = true
      } else if !configuration.passesEncodings, kept.isNamed("accept-encoding", at: index) {
        if !hasEncoding { fields.append(kept[index], value: "identity") }
        hasEncoding = true
      } else {
        fields.append(index, of: kept)
      }
    }
    // RFC 9112 §6.2: a body that came in chunks goes on with its length, which is known by now. Only one with trailers
    // goes on in chunks.
    if !hasLength, request.trailers.isEmpty,
      !request.body.isEmpty || request.fields.contains("transfer-encoding")
    {
      fields.append(literal: "Content-Length", "\(request.body.count)")
    }
    return fields
  }

  /// RFC 9110 §7.2, §7.6.1: a gateway names the origin it asks.
  private static func host(_ request: HTTPRequest, _ configuration: UpstreamConfiguration) -> String {
    if configuration.preservesHost {
      if !request.authority.isEmpty { return String(decoding: request.authority, as: UTF8.self) }
      if let host = request.fields.text("host") { return host }
    }
    return configuration.origin.authority
  }

  /// Whether method and target can stand in a request line without ending it (RFC 9112 §3): both may have
  /// been made by code rather than parsed.
  static func canBeSent(_ request: HTTPRequest) -> Bool {
    !request.target.isEmpty && request.target.allSatisfy(RequestTarget.isVisible)
      && !request.method.rawValue.isEmpty
      && request.method.rawValue.utf8.allSatisfy { RequestTarget.isVisible($0) && $0 < 0x80 }
  }
}
