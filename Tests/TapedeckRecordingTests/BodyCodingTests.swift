import RecordingTestSupport
import TapedeckHTTP
import Testing

@testable import TapedeckRecording
@testable import TapedeckRedaction

private func coding(_ name: String) -> BodyCoding { BodyCoding(fields([("Content-Encoding", name)])) }

@Suite struct BodyCodingTests {
  @Test(arguments: [
    ("gzip", BodyCoding.gzip), ("X-GZIP", .gzip), ("deflate", .deflate), ("identity", .identity),
    ("", .identity),
    ("identity, gzip", .gzip), ("br", .brotli), ("gzip, gzip", .layers([.gzip, .gzip])),
    ("zstd", .zstandard), ("utf-8", .identity), ("aws-chunked", .identity), ("none, gzip", .gzip),
    ("compress", .other("compress")), ("gzip, compress", .other("gzip, compress")),
  ])
  func readsTheField(_ name: String, _ expected: BodyCoding) { #expect(coding(name) == expected) }

  @Test(arguments: [BodyCoding.gzip, .deflate, .brotli, .zstandard, .layers([.gzip, .brotli])])
  func opensWhatItMakes(_ coding: BodyCoding) throws {
    for count in [0, 1, 1000, 300_000] {
      let text = (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* $0 &* 31) >> 9) }
      let bytes = try #require(coding.encoded(text))
      #expect(coding.encoded(text) == bytes, "the same every time")
      #expect(coding.decoded(bytes[...]) == text)
      #expect(coding.decoded(bytes.dropLast()) == nil, "a coding that is cut off")
      #expect(coding.decoded((bytes + [0])[...]) == nil, "something behind it")
    }
  }

  @Test func opensSeveralMembers() throws {
    let one = try #require(BodyCoding.gzip.encoded(Array("one".utf8)))
    let two = try #require(BodyCoding.gzip.encoded(Array("two".utf8)))
    #expect(BodyCoding.gzip.decoded((one + two)[...]) == Array("onetwo".utf8))
  }

  @Test func opensDeflateWithoutItsWrapping() throws {
    let wrapped = try #require(BodyCoding.deflate.encoded(Array("hello".utf8)))
    #expect(BodyCoding.deflate.decoded(wrapped.dropFirst(2).dropLast(4)) == Array("hello".utf8))
  }

  @Test(arguments: [BodyCoding.gzip, .brotli, .zstandard, .layers([.gzip, .gzip])])
  func refusesBombs(_ coding: BodyCoding) throws {
    let bomb = try #require(coding.encoded([UInt8](repeating: 0, count: 3 << 20)))
    #expect(bomb.count < 10_000)
    #expect(coding.decoded(bomb[...]) == nil)
  }

  @Test(arguments: [BodyCoding.brotli, .zstandard])
  func opensJSONThatIsRepetitive(_ coding: BodyCoding) throws {
    let row = #"{"id": 1, "name": "a name", "tags": ["one", "two", "three"], "isOpen": true}, "#
    let rows = String(repeating: row, count: 40)
    let text = Array((0..<1000).map { "{\"page\": \($0 &* 7919 % 1000)}, \(rows)" }.joined().utf8)
    let coded = try #require(coding.encoded(text))
    #expect((201...1999).contains(text.count / coded.count), "\(text.count / coded.count)")
    #expect(coding.decoded(coded[...]) == text)
  }

  @Test(arguments: ["gzip", "deflate", "br", "zstd", "gzip, br"])
  func hidesInside(_ name: String) throws {
    let redaction = Redaction(upstream: nil)
    let text = Array(#"{"id": 1, "password": "hunter2"}"#.utf8)
    let coding = coding(name)
    let coded = try #require(coding.encoded(text))
    let original = exchange(
      answers: [
        ("Content-Type", "application/json"), ("Content-Encoding", name),
        ("Content-Length", "\(coded.count)"),
      ],
      body: coded, chunks: [coded.count])
    let (hidden, count) = redaction.redacted(original)
    #expect(count == 1)
    guard case .bytes(let body) = hidden.response.body else { return }
    let inside = try #require(coding.decoded(body[...]))
    #expect(String(decoding: inside, as: UTF8.self).hasPrefix(#"{"id": 1, "password": "REDACTED:secret:"#))
    #expect(hidden.response.head.fields.text("content-length") == "\(body.count)")
    #expect(hidden.response.chunkSizes == [body.count])
    #expect(redaction.redacted(hidden).0 == hidden)
    // A client that sends a placeholder packs it in its own way, and is recognised all the same.
    var request = HTTPRequest(.post, "/", fields: original.response.head.fields, body: coded)
    let key = RequestMatcher(redaction: redaction).key(for: request)
    request.body = try #require(BodyCoding.gzip.encoded(inside + []))
    if name == "gzip" { #expect(RequestMatcher(redaction: redaction).key(for: request) == key) }
  }

  @Test func leavesWhatHoldsNothingAsItIs() throws {
    let coded = try #require(BodyCoding.gzip.encoded(Array("nothing to hide here".utf8)))
    let original = exchange(
      answers: [("Content-Type", "text/plain"), ("Content-Encoding", "gzip")], body: coded)
    #expect(Redaction(upstream: nil).redacted(original).0 == original)
  }

  @Test(arguments: ["utf-8", "none", "binary", "aws-chunked", "gzip", "br", "zstd", "deflate"])
  func hidesInTextThatIsNotInItsCoding(_ name: String) {
    let original = exchange(
      answers: [("Content-Type", "application/json"), ("Content-Encoding", name)],
      body: Array(#"{"id": 1, "password": "hunter2"}"#.utf8))
    let result = Redaction(upstream: nil).redacted(original, memory: nil)
    #expect(result.count == 1)
    #expect(result.unopened.isEmpty)
    #expect(!SecretScanner().finds(inBody: bytes(original), original.response.head.fields, at: "").isEmpty)
  }

  private func bytes(_ exchange: Interaction) -> [UInt8] {
    if case .bytes(let bytes) = exchange.response.body { bytes } else { [] }
  }

  @Test func tellsWhatItCannotOpen() {
    let original = exchange(
      answers: [("Content-Type", "text/plain"), ("Content-Encoding", "br")], body: [1, 2, 3])
    let result = Redaction(upstream: nil).redacted(original, memory: nil)
    #expect(result.interaction == original)
    #expect(result.unopened == ["br"])
  }
}
