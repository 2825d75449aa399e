import Testing

@testable import TapedeckHTTP

/// What the parser says of these bytes where bodies of more than four bytes are uploads.
private func said(_ pieces: [[UInt8]], leaves: Bool) throws -> [String] {
  var limits = HTTPLimits()
  limits.heldBodyBytes = 4
  var parser = HTTP1RequestParser(limits: limits)
  var said: [String] = []
  for piece in pieces {
    try piece.withUnsafeBytes { bytes in
      var offset = 0
      while offset < bytes.count {
        guard let event = try parser.next(bytes, at: &offset) else { continue }
        switch event {
        case .continueExpected: said.append("continue")
        case .upload(let request, let expectsContinue):
          #expect(request.body.isEmpty)
          said.append("upload \(request.targetText) \(request.uploadBytes ?? -1) \(expectsContinue)")
          if leaves {
            #expect(parser.isReadingBody)
            parser.leaveBody()
            #expect(parser.isBetweenRequests)
          }
        case .request(let request):
          #expect(request.uploadBytes == nil)
          said.append("\(request.targetText) \(String(decoding: request.body, as: UTF8.self))")
        }
      }
    }
  }
  return said
}

private func message(_ target: String, _ body: String, _ field: String = "X: y") -> [UInt8] {
  Array(
    "PUT \(target) HTTP/1.1\r\nHost: a\r\n\(field)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
}

@Test func `the head of an upload is told of, and its body collected unless it is left`() throws {
  let expecting = "Expect: 100-continue"
  let kept = message("/a", "1234") + message("/b", "12345") + message("/c", "123456", expecting)
  let expected = [
    "/a 1234", "upload /b 5 false", "/b 12345", "upload /c 6 true", "/c 123456",
  ]
  #expect(try said([kept], leaves: false) == expected)
  #expect(try said(kept.map { [$0] }, leaves: false) == expected)
  let left = Array(message("/b", "12345").dropLast(5)) + message("/next", "")
  #expect(try said([left], leaves: true) == ["upload /b 5 false", "/next "])
  #expect(try said(left.map { [$0] }, leaves: true) == ["upload /b 5 false", "/next "])
}

@Test func `a body that is larger than any may be is refused as before, and chunks are no upload`() throws {
  var limits = HTTPLimits()
  (limits.heldBodyBytes, limits.bodyBytes) = (4, 10)
  var parser = HTTP1RequestParser(limits: limits)
  message("/a", "12345678901").withUnsafeBytes { bytes in
    var offset = 0
    #expect(throws: HTTPParseError.bodyTooLarge) { _ = try parser.next(bytes, at: &offset) }
  }
  let chunked = Array(
    "PUT /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n123456\r\n0\r\n\r\n".utf8)
  #expect(try said([chunked], leaves: true) == ["/a 123456"])
}
