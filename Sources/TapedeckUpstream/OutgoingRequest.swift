internal import TapedeckHTTP

/// A request as sent to the origin, and how much of it has been sent.
///
/// Forwards every end-to-end field of the client in its order and spelling, and adds only framing: no
/// `X-Forwarded-*`, and no `Via`, although RFC 9110 §7.6.3 requires one of a gateway, because the recorded
/// response must be the one that the origin would have sent to the client.
struct OutgoingRequest {
  private static let joinedBodyBytes = 16 * 1024

  /// The head, followed by a small body.
  private(set) var start: [UInt8] = []
  /// A large body; never copied.
  private let rest: [UInt8]
  /// The last chunk after a large body, with the trailers.
  private var end: [UInt8] = []
  /// The size of a body that is not here, and is sent while it comes.
  private let uploadBytes: Int
  private(set) var sent = 0

  /// - Parameters:
  ///   - fields: what `fields(of:)` makes of the request's.
  ///   - added: fields that replace those of the client.
  init(_ request: HTTPRequest, fields: HTTPFields, prefix: String, added: HTTPFields) {
    let isJoined = request.body.count <= Self.joinedBodyBytes
    let isChunked = !request.trailers.isEmpty
    rest = isJoined ? [] : request.body
    uploadBytes = request.uploadBytes ?? 0
    start.reserveCapacity(request.target.count + 512 + (isJoined ? request.body.count : 0))
    appendRequestLine(request, prefix: prefix)
    for index in fields.indices where added.isEmpty || !added.contains(named: fields.name(at: index)) {
      fields.withBytes(at: index) { name, value in append(name, value) }
    }
    for index in added.indices { added.withBytes(at: index) { name, value in append(name, value) } }
    if isChunked { start += "Transfer-Encoding: chunked\r\n".utf8 }
    // RFC 9110 §10.1.4: a sender of TE lists it in Connection.
    if request.asksForWebSocket {
      start += "Connection: Upgrade\r\nUpgrade: websocket\r\n".utf8
    } else if request.acceptsTrailers {
      start += "TE: trailers\r\nConnection: TE\r\n".utf8
    }
    start += HTTP1Serializer.crlf
    if isChunked, !request.body.isEmpty {
      HTTP1Serializer.appendChunkHead(request.body.count, to: &start)
      end += HTTP1Serializer.crlf
    }
    if isChunked { HTTP1Serializer.appendLastChunk(trailers: request.trailers, to: &end) }
    if isJoined {
      start += request.body
      start += end
      end = []
    }
  }

  private mutating func appendRequestLine(_ request: HTTPRequest, prefix: String) {
    start += request.method.rawValue.utf8
    start.append(UInt8(ascii: " "))
    // RFC 9112 §3.2.4: the asterisk stands for the whole server, so there is no path to prefix.
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

  var count: Int { start.count + rest.count + end.count + uploadBytes }
  var isSent: Bool { sent == count }
  /// Whether what is here has been sent, and the rest of an upload has not.
  var awaitsUpload: Bool { uploadBytes > 0 && sent >= start.count && !isSent }
  /// Whether a part of an upload has been sent.
  var hasBegunUpload: Bool { uploadBytes > 0 && sent > start.count }

  /// Calls `body` with the next bytes to send; returns `nil` when everything that is here has been sent.
  func withNext<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
    if sent < start.count {
      return start.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[sent...])) }
    }
    guard uploadBytes == 0 else { return nil }
    let beyondStart = sent - start.count
    if beyondStart < rest.count {
      return rest.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[beyondStart...])) }
    }
    guard !isSent else { return nil }
    return end.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[(beyondStart - rest.count)...])) }
  }

  mutating func advance(by count: Int) { sent += count }

  mutating func rewind() { sent = 0 }
}

extension OutgoingRequest {
  /// The fields to send, except `Transfer-Encoding` and `TE`, which belong to the connection.
  /// - Parameters:
  ///   - authority: of the origin.
  ///   - preservesHost: whether the client's `Host` is sent, where it has one.
  ///   - passesEncodings: whether `Accept-Encoding` stays as it is.
  static func fields(
    of request: HTTPRequest, authority: String, preservesHost: Bool, passesEncodings: Bool
  ) -> HTTPFields {
    var kept = request.fields
    kept.removeHopByHop()
    // What is between a client and its proxy means nothing to the origin (RFC 9110 §11.7).
    kept.removeAll("proxy-authenticate")
    kept.removeAll("proxy-authentication-info")
    if request.trailers.isEmpty { kept.removeAll("trailer") }
    // Extensions change frames, and those are to be read on their way (RFC 6455 §9).
    if request.asksForWebSocket { kept.removeAll("sec-websocket-extensions") }
    var fields = HTTPFields()
    fields.reserveCapacity(like: kept)
    // RFC 9110 §7.2, §7.6.1: a gateway sends the origin's host.
    fields.append(literal: "Host", (preservesHost ? host(request) : nil) ?? authority)
    var hasLength = false
    var hasEncoding = false
    for index in kept.indices {
      // RFC 9110 §10.1.1: the expectation is met if the whole body has arrived.
      if kept.isNamed("host", at: index) || kept.isNamed("expect", at: index) && !request.awaitsContinue {
        continue
      }
      if kept.isNamed("content-length", at: index) {
        if !hasLength, request.trailers.isEmpty {
          fields.append(kept[index], value: "\(request.uploadBytes ?? request.body.count)")
        }
        hasLength = true
      } else if !passesEncodings, kept.isNamed("accept-encoding", at: index) {
        if !hasEncoding { fields.append(kept[index], value: "identity") }
        hasEncoding = true
      } else {
        fields.append(index, of: kept)
      }
    }
    // RFC 9112 §6.2: a body that came in chunks is sent with its length, unless it has trailers.
    if !hasLength, request.trailers.isEmpty,
      !request.body.isEmpty || request.fields.contains("transfer-encoding")
    {
      fields.append(literal: "Content-Length", "\(request.body.count)")
    }
    return fields
  }

  /// The host that the client asked for; `nil` where it named none.
  private static func host(_ request: HTTPRequest) -> String? {
    if let host = request.fields.text("host"), !host.isEmpty { return host }
    return request.authority.isEmpty ? nil : String(decoding: request.authority, as: UTF8.self)
  }

  /// Whether method and target fit in a request line without ending it (RFC 9112 §3); code may supply them.
  static func canBeSent(_ request: HTTPRequest) -> Bool {
    !request.target.isEmpty && request.target.allSatisfy(RequestTarget.isVisible)
      && !request.method.rawValue.isEmpty
      && request.method.rawValue.utf8.allSatisfy { RequestTarget.isVisible($0) && $0 < 0x80 }
  }
}

extension HTTPFields {
  fileprivate func contains(named name: ArraySlice<UInt8>) -> Bool {
    indices.contains {
      self.name(at: $0).lazy.map(ASCII.lowercased).elementsEqual(name.lazy.map(ASCII.lowercased))
    }
  }
}
