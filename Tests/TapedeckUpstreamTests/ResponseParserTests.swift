import TapedeckHTTP
import Testing

@testable import TapedeckUpstream

/// The parser alone, without an origin. `Tests/Fuzz` holds it to the same events however the bytes are cut.
@Suite struct ResponseParserTests {
  /// The events of `text`, given in pieces of at most `size` bytes; data is joined.
  private func events(_ text: String, size: Int, _ parser: inout ResponseParser) throws -> [String] {
    var events: [String] = []
    var body = ""
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(size))
      rest = rest.dropFirst(size)
      var offset = 0
      try piece.withUnsafeBytes { bytes in
        while let event = try parser.next(bytes, at: &offset) {
          switch event {
          case .interim(let head): events.append("interim \(head.status)")
          case .head(let head, let framing): events.append("head \(head.status) \(framing)")
          case .data(let range, let endsChunk):
            body += String(decoding: bytes[range], as: UTF8.self) + (endsChunk ? "|" : "")
          case .end(let trailers): events += [body, "end \(trailers.count)"]
          }
        }
      }
    }
    return events
  }

  @Test(arguments: [1, 2, 7, 1000]) func eventsComeHoweverTheBytesAreCut(size: Int) throws {
    var parser = ResponseParser(to: .get, limits: .response) { _ in }
    let text =
      "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
      + "5\r\nhello\r\n6\r\n world\r\n0\r\nX: 1\r\n\r\n"
    #expect(
      try events(text, size: size, &parser) == ["interim 103", "head 200 chunked", "hello| world|", "end 1"])
    #expect(parser.allowsReuse)
  }

  @Test func bytesBehindTheMessageForbidReuse() throws {
    var parser = ResponseParser(to: .get, limits: .response) { _ in }
    let text = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.1"
    #expect(try events(text, size: 1000, &parser) == ["head 200 length(5)", "hello", "end 0"])
    #expect(!parser.allowsReuse)
  }
}
