import TestSupport
import Testing

@testable import TapedeckHTTP

/// The requests in `text`, which arrive at once.
private func requests(_ text: String, _ heads: HeadCache) throws -> [HTTPRequest] {
  var parser = HTTP1RequestParser(heads: heads)
  var requests: [HTTPRequest] = []
  try Array(text.utf8).withRawBytes { bytes in
    var offset = 0
    while offset < bytes.count {
      if case .request(let request)? = try parser.next(bytes, at: &offset) { requests.append(request) }
    }
  }
  return requests
}

@Test func `from its third time on, a head is the one that came before`() throws {
  let heads = HeadCache(HTTPLimits())
  let text = "GET /a HTTP/1.1\r\nHost: h\r\nX: 1\r\n\r\n"
  let all = try (0..<4).flatMap { _ in try requests(text, heads) }
  #expect(!all[0].sharesHead(with: all[1]))
  #expect(all[1].sharesHead(with: all[2]) && all[2].sharesHead(with: all[3]))
  #expect(Set(all.map(\.targetText)) == ["/a"])
  #expect(all[0] == all[3])
}

@Test func `heads with one request line are told apart by their fields`() throws {
  let heads = HeadCache(HTTPLimits())
  let line = "GET /a HTTP/1.1\r\nHost: h\r\n"
  let fields = ["", "X: 1\r\n", "X: 12\r\n", "X: 1\r\nY: 2\r\n", "x: 1\r\n"]
  for _ in 0..<4 {
    for lines in fields {
      let request = try #require(try requests("\(line)\(lines)\r\n", heads).first)
      let text = request.fields.dropFirst().map {
        "\(String(decoding: $0.name, as: UTF8.self)): \(String(decoding: $0.value, as: UTF8.self))\r\n"
      }
      #expect(text.joined() == lines)
    }
  }
}

@Test func `a body belongs to its request and not to the head`() throws {
  let heads = HeadCache(HTTPLimits())
  let head = "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\n"
  for round in 0..<4 {
    let two = try requests("\(head)a\(round)b\(head)c\(round)d", heads)
    let bodies = two.map { String(decoding: $0.body, as: UTF8.self) }
    #expect(bodies == ["a\(round)b", "c\(round)d"])
  }
}

@Test func `trailers belong to their request and not to the head`() throws {
  let heads = HeadCache(HTTPLimits())
  let head = "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
  for round in 0..<4 {
    let two = try requests("\(head)0\r\nT: \(round)\r\n\r\n\(head)0\r\n\r\n", heads)
    #expect(two[0].trailers.text("t") == "\(round)")
    #expect(two[1].trailers.isEmpty)
  }
}

/// More heads than places, many of which come again, one by one and pipelined.
@Test func `seeded requests mean the same with the cache and without it`() throws {
  var random = SeededGenerator(21)
  let heads = HeadCache(HTTPLimits())
  for _ in 0..<20_000 {
    let text = (0..<Int.random(in: 1...3, using: &random)).map { _ in
      let id = Int.random(in: 0..<(Bool.random(using: &random) ? 20 : 9000), using: &random)
      let extra = ["", "X-Id: \(id % 7)\r\n", "Connection: close\r\n", "Content-Length: 2\r\n"]
        .randomElement(using: &random)!
      return "POST /item/\(id) HTTP/1.1\r\nHost: h\r\n\(extra)\r\n\(extra.hasPrefix("Content") ? "ok" : "")"
    }.joined()
    #expect(try requests(text, heads) == requests(text, HeadCache(HTTPLimits())))
  }
}
