import TestSupport
import Testing

@testable import TapedeckHTTP

/// Every limit on what a peer may send: as much as it allows passes, one more does not.
@Suite struct LimitEdgeTests {
  private static func text(_ character: Character, _ count: Int) -> String {
    String(repeating: character, count: count)
  }

  private static func fields(_ count: Int) -> String {
    (0..<count).map { "X\($0): y\r\n" }.joined()
  }

  /// What a request comes to, whole and byte by byte alike.
  private static func outcome(_ text: String, _ limits: HTTPLimits) -> HTTPParseError? {
    let bytes = Array(text.utf8)
    let outcomes = [bytes.count, 1].map { size -> HTTPParseError? in
      var parser = HTTP1RequestParser(limits: limits)
      do throws(HTTPParseError) {
        var isWhole = false
        for start in stride(from: 0, to: bytes.count, by: size) {
          let piece = Array(bytes[start..<min(start + size, bytes.count)])
          try piece.withRawBytes { buffer throws(HTTPParseError) in
            var offset = 0
            while offset < buffer.count {
              if case .request = try parser.next(buffer, at: &offset) { isWhole = true }
            }
          }
        }
        #expect(isWhole)
        return nil
      } catch {
        return error
      }
    }
    #expect(outcomes[0] == outcomes[1])
    return outcomes[0]
  }

  private struct Row: CustomStringConvertible {
    let name: String
    let error: HTTPParseError
    let limits: HTTPLimits
    /// A request that has so much of what is limited.
    let make: (Int) -> String
    let limit: Int

    init(
      _ name: String, _ path: WritableKeyPath<HTTPLimits, Int>, _ limit: Int, _ error: HTTPParseError,
      _ make: @escaping (Int) -> String
    ) {
      var limits = HTTPLimits()
      limits[keyPath: path] = limit
      (self.name, self.limits, self.limit, self.error, self.make) = (name, limits, limit, error, make)
    }

    var description: String { name }
  }

  private static let chunked = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"

  private static var rows: [Row] {
    [
      Row("fields", \.fieldCount, 7, .tooManyFields) { "GET / HTTP/1.1\r\nHost: h\r\n\(fields($0 - 1))\r\n" },
      Row("trailers", \.fieldCount, 7, .tooManyFields) { "\(chunked)0\r\n\(fields($0))\r\n" },
      Row("target", \.targetBytes, 9, .targetTooLong) {
        "GET /\(text("a", $0 - 1)) HTTP/1.1\r\nHost: h\r\n\r\n"
      },
      Row("method", \.methodBytes, 9, .methodTooLong) { "\(text("A", $0)) / HTTP/1.1\r\nHost: h\r\n\r\n" },
      Row("head", \.headBytes, 100, .headTooLarge) {
        let start = "GET / HTTP/1.1\r\nHost: h\r\nX: "
        return start + text("a", $0 - start.utf8.count - 4) + "\r\n\r\n"
      },
      Row("body of a length", \.bodyBytes, 9, .bodyTooLarge) {
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: \($0)\r\n\r\n\(text("x", $0))"
      },
      Row("body of one chunk", \.bodyBytes, 9, .bodyTooLarge) {
        "\(chunked)\(String($0, radix: 16))\r\n\(text("x", $0))\r\n0\r\n\r\n"
      },
      Row("body of many chunks", \.bodyBytes, 9, .bodyTooLarge) { count in
        chunked + (0..<count).map { _ in "1\r\nx\r\n" }.joined() + "0\r\n\r\n"
      },
      Row("leading empty lines", \.leadingEmptyLines, 3, .badRequestLine) { count in
        (0..<count).map { _ in "\r\n" }.joined() + "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
      },
      Row("chunk line", \.chunkLineBytes, 20, .badChunk) {
        "\(chunked)1;\(text("a", $0 - 2))\r\nx\r\n0\r\n\r\n"
      },
      Row("chunk extensions", \.chunkExtensionBytes, 20, .badChunk) { count in
        chunked + "1;\(text("a", 9))\r\nx\r\n1;\(text("a", count - 11))\r\nx\r\n0\r\n\r\n"
      },
    ]
  }

  @Test(arguments: rows.indices) func oneMoreThanTheLimitIsRefused(index: Int) {
    let row = Self.rows[index]
    #expect(Self.outcome(row.make(row.limit), row.limits) == nil, "\(row) at the limit")
    #expect(Self.outcome(row.make(row.limit + 1), row.limits) == row.error, "\(row) beyond the limit")
  }

  @Test func aResponseMayHaveAsManyFieldsAsTheLimitAndNoMore() throws {
    var limits = HTTPLimits.response
    limits.fieldCount = 5
    let head = { Array("HTTP/1.1 200 OK\r\n\(Self.fields($0))\r\n".utf8) }
    #expect(try HTTP1ResponseHeadParser.parse(head(5), limits: limits).fields.count == 5)
    #expect(throws: HTTPParseError.tooManyFields) {
      try HTTP1ResponseHeadParser.parse(head(6), limits: limits)
    }
  }

  @Test func aResponseHeadMayBeAsLargeAsTheLimitAndNoMore() throws {
    var limits = HTTPLimits.response
    let head = Array("HTTP/1.1 200 OK\r\nX: y\r\n\r\n".utf8)
    limits.headBytes = head.count
    _ = try HTTP1ResponseHeadParser.parse(head, limits: limits)
    limits.headBytes -= 1
    #expect(throws: HTTPParseError.headTooLarge) { try HTTP1ResponseHeadParser.parse(head, limits: limits) }
  }
}
