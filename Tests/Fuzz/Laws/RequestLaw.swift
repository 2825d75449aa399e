import TapedeckHTTP

/// The request parser: however the bytes are cut, the same requests or the same error; every request has one meaning,
/// which is to say that written down plainly it is read as itself again. Heads that have come before make no difference.
enum RequestLaw {
  private struct Outcome: Equatable {
    var requests: [HTTPRequest] = []
    var expectations = 0
    var error: HTTPParseError?
    var isBetweenRequests = true
  }

  static func check(_ input: [UInt8]) throws(BrokenLaw) {
    for limits in [HTTPLimits(), tight, forward] {
      let ways = Pieces.ways(of: input)
      let whole = try outcome(ways[0], HeadCache(limits))
      let heads = HeadCache(limits)
      for way in ways.dropFirst() + [ways[0]] {
        let other = try outcome(way, heads)
        try require(other == whole, "whole: \(whole)\nbut cut into \(way.count) pieces: \(other)")
      }
      for request in whole.requests { try hasOneMeaning(request, limits) }
    }
  }

  /// The limits of a forward proxy.
  private static var forward: HTTPLimits {
    var limits = HTTPLimits()
    limits.allowsConnect = true
    return limits
  }

  /// Limits that short inputs reach.
  private static var tight: HTTPLimits {
    var limits = HTTPLimits()
    limits.headBytes = 160
    limits.fieldCount = 4
    limits.targetBytes = 24
    limits.methodBytes = 8
    limits.bodyBytes = 32
    limits.leadingEmptyLines = 1
    limits.chunkLineBytes = 16
    limits.chunkExtensionBytes = 20
    return limits
  }

  private static func outcome(
    _ pieces: [ArraySlice<UInt8>], _ heads: HeadCache
  ) throws(BrokenLaw) -> Outcome {
    var parser = HTTP1RequestParser(heads: heads)
    var outcome = Outcome()
    for piece in pieces where outcome.error == nil {
      let problem = Pieces.lend(piece) { feed($0, to: &parser, &outcome) }
      if let problem { throw problem }
    }
    outcome.isBetweenRequests = parser.isBetweenRequests
    return outcome
  }

  private static func feed(
    _ bytes: UnsafeRawBufferPointer, to parser: inout HTTP1RequestParser, _ outcome: inout Outcome
  ) -> BrokenLaw? {
    var offset = 0
    while offset < bytes.count {
      let before = offset
      do throws(HTTPParseError) {
        switch try parser.next(bytes, at: &offset) {
        case .request(let request): outcome.requests.append(request)
        case .continueExpected: outcome.expectations += 1
        case .upload: break
        case nil: if offset == before { return BrokenLaw("no event and no progress at \(offset)") }
        }
      } catch {
        outcome.error = error
        return refusal(of: &parser, bytes, after: error)
      }
      guard offset >= before, offset <= bytes.count else { return BrokenLaw("offset \(offset)") }
    }
    return nil
  }

  /// After an error nothing is read any more.
  private static func refusal(
    of parser: inout HTTP1RequestParser, _ bytes: UnsafeRawBufferPointer, after first: HTTPParseError
  ) -> BrokenLaw? {
    var offset = 0
    do throws(HTTPParseError) {
      _ = try parser.next(bytes, at: &offset)
      return BrokenLaw("the parser goes on after \(first)")
    } catch {
      return error == first ? nil : BrokenLaw("\(error) after \(first)")
    }
  }

  private static func hasOneMeaning(_ request: HTTPRequest, _ limits: HTTPLimits) throws(BrokenLaw) {
    try require(request.body.count <= limits.bodyBytes, "a body of \(request.body.count) bytes")
    try require(request.fields.count <= limits.fieldCount, "\(request.fields.count) fields")
    try require(
      request.method != .connect || limits.allowsConnect && request.body.isEmpty, "\(request) opens a tunnel")
    var out = Array("\(request.method.rawValue) ".utf8) + target(of: request) + Array(" HTTP/1.1\r\n".utf8)
    let replaced = ["content-length", "transfer-encoding", "expect", "host"] as [StaticString]
    for field in request.fields where !replaced.contains(where: field.isNamed) {
      out += field.name + Array(": ".utf8) + field.value + HTTP1Serializer.crlf
    }
    out += Array("Host: ".utf8) + request.authority + HTTP1Serializer.crlf
    out += Array("Content-Length: \(request.body.count)\r\n\r\n".utf8) + request.body
    var roomier = limits
    roomier.headBytes += 1024
    roomier.fieldCount += 2
    roomier.targetBytes += 1024
    let again = try outcome([out[...]], HeadCache(roomier))
    try require(again.error == nil && again.requests.count == 1, "\(again) from \(request) written down")
    let read = again.requests[0]
    try require(
      read.method == request.method && read.target == request.target && read.body == request.body
        && read.authority == request.authority && read.namesOrigin == request.namesOrigin
        && read.scheme == request.scheme,
      "\(request) was read again as \(read)")
  }

  /// In absolute form where the request named its origin so.
  private static func target(of request: HTTPRequest) -> [UInt8] {
    guard request.namesOrigin, request.method != .connect else { return request.target }
    let path = request.target == [UInt8(ascii: "*")] ? [] : request.target
    return Array("\(request.scheme.rawValue)://".utf8) + request.authority + path
  }
}
