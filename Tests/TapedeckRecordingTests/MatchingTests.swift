import RecordingTestSupport
import TapedeckHTTP
import TestSupport
import Testing

@testable import TapedeckRecording
@testable import TapedeckRedaction

/// The key that a writer holds after it has held another one.
func rewrittenKey(_ request: HTTPRequest, _ matcher: RequestMatcher) -> [UInt8] {
  var key = KeyWriter()
  matcher.write(HTTPRequest(.post, "/other?a=1", body: Array("{}".utf8)), to: &key)
  matcher.write(request, to: &key)
  return key.bytes
}

@Suite struct MatchingTests {
  struct Sent: Sendable, CustomTestStringConvertible {
    var text: String
    var type: String
    var body: [UInt8]

    init(_ text: String, _ type: String = "", _ body: String = "") {
      (self.text, self.type, self.body) = (text, type, Array(body.utf8))
    }

    var request: HTTPRequest {
      let words = text.split(separator: " ")
      return HTTPRequest(
        HTTPMethod(rawValue: String(words[0])), String(words[1]),
        fields: fields(type.isEmpty ? [] : [("content-type", type)]), body: body)
    }

    var testDescription: String { "\(text) \(type) \(String(decoding: body, as: UTF8.self))" }
  }

  static let json = "application/json"
  static let form = "application/x-www-form-urlencoded"

  static func part(_ boundary: String, _ content: String) -> Sent {
    Sent(
      "POST /p", "multipart/form-data; boundary=\(boundary)",
      "--\(boundary)\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\(content)\r\n--\(boundary)--\r\n")
  }

  static let same: [(Sent, Sent)] = [
    (Sent("GET /a?x=1&y=2"), Sent("GET /a?y=2&x=1")), (Sent("GET /a?x=1&x=2"), Sent("GET /a?x=2&x=1")),
    (Sent("GET /a?q=a+b"), Sent("GET /a?q=a%20b")), (Sent("GET /a?q=%41"), Sent("GET /a?q=A")),
    (Sent("GET /a?x"), Sent("GET /a?x=")), (Sent("GET /a"), Sent("GET /a?")),
    (Sent("GET /a?x=1&&"), Sent("GET /a?x=1")),
    (Sent("GET /a?%C3%a9=1"), Sent("GET /a?%c3%A9=1")),
    (Sent("POST /p", json, #"{"a":1,"b":[1, 2]}"#), Sent("POST /p", json, "{ \"b\": [1,2],\n\"a\": 1 }")),
    (
      Sent("POST /p", json, #"{"é":"A/"}"#),
      Sent("POST /p", "application/json;charset=utf-8", #"{"\u00e9":"\u0041\/"}"#)
    ),
    (
      Sent("POST /p", "application/vnd.api+json", #"{"a":1,"b":2}"#),
      Sent("POST /p", "a/b+JSON", #"{"b":2,"a":1}"#)
    ),
    (Sent("POST /p", form, "a=1&b=x+y"), Sent("POST /p", form, "b=x%20y&a=1")),
    (part("one", "x"), part("two", "x")), (Sent("GET /a", json), Sent("GET /a")),
    // Paths as RFC 3986 §6.2.2.1 and §6.2.2.2 have it.
    (Sent("GET /%41"), Sent("GET /A")), (Sent("GET /%7euser"), Sent("GET /~user")),
    (Sent("GET /a%2fb"), Sent("GET /a%2Fb")), (Sent("GET /%c3%a9"), Sent("GET /%C3%A9")),
    (Sent("GET /a%2Fb?x=%7E"), Sent("GET /a%2fb?x=~")),
    // JSON is JSON whatever its type says, with the mark of UTF-8 or without.
    (Sent("POST /p", form, #"{"a":1}"#), Sent("POST /p", json, #"{"a": 1}"#)),
    (Sent("POST /p", "", "[1]"), Sent("POST /p", "text/plain", " [ 1 ]")),
    (Sent("POST /p", json, "\u{FEFF}{\"a\":1}"), Sent("POST /p", json, #"{"a":1}"#)),
    (Sent("POST /p", "text/plain", #"{"a": 1}"#), Sent("POST /p", "text/plain", #"{"a":1}"#)),
    // GraphQL by its tokens.
    (
      Sent("POST /g", json, #"{"query":"query A { a, b }"}"#),
      Sent("POST /g", json, #"{"query":"query A {\n  a # one\n  b\n}\n"}"#)
    ),
    (
      Sent("POST /g", json, #"[{"query":"{a}"},{"query":"{b}"}]"#),
      Sent("POST /g", json, #"[{"query":"{ a }"},{"query":"{ b }"}]"#)
    ),
    (Sent("GET /g?query=%7Ba%7D"), Sent("GET /g?query=%7B%20a%20%7D")),
    (nested("one", "two", "x"), nested("one", "three", "x")),
    (nested("one", "two", "x"), nested("six", "ten", "x")),
  ]

  /// As `curl -F 'file=@a,b'` sends it.
  static func nested(_ boundary: String, _ inner: String, _ content: String) -> Sent {
    let part = "Content-Disposition: attachment; filename=\"a\"\r\n\r\n"
    return Sent(
      "POST /p", "multipart/form-data; boundary=\(boundary)",
      "--\(boundary)\r\nContent-Disposition: form-data; name=\"file\"\r\n"
        + "Content-Type: multipart/mixed; boundary=\(inner)\r\n\r\n--\(inner)\r\n\(part)\(content)\r\n"
        + "--\(inner)\r\n\(part)b\r\n--\(inner)--\r\n\r\n--\(boundary)--\r\n")
  }

  static let different: [(Sent, Sent)] = [
    (Sent("GET /a"), Sent("POST /a")), (Sent("GET /a"), Sent("get /a")), (Sent("GET /a"), Sent("GET /a/")),
    (Sent("GET /a"), Sent("GET /A")), (Sent("GET /a/./b"), Sent("GET /a/b")),
    (Sent("GET /a%2Fb"), Sent("GET /a/b")),
    (Sent("GET /a%zz"), Sent("GET /a%ZZ")), (Sent("GET /a%7C"), Sent("GET /a|")),
    (Sent("GET /a?x=1"), Sent("GET /a?x=1&x=1")), (nested("one", "two", "x"), nested("one", "two", "y")),
    (
      Sent("POST /g", json, #"{"query":"{a(s:\"x y\")}"}"#),
      Sent("POST /g", json, #"{"query":"{a(s:\"x  y\")}"}"#)
    ),
    (Sent("POST /g", json, #"{"query":"plain words"}"#), Sent("POST /g", json, #"{"query":"plain  words"}"#)),
    (Sent("GET /a?x=1"), Sent("GET /a?x=2")), (Sent("GET /a?x=1"), Sent("GET /a?X=1")),
    (Sent("GET /a?a=b&c=d"), Sent("GET /a?a=d&c=b")), (Sent("GET /a?ab=c"), Sent("GET /a?a=bc")),
    (Sent("GET /a?a=b%26c=d"), Sent("GET /a?a=b&c=d")), (Sent("GET /a?a=b%3D"), Sent("GET /a?a%3Db=")),
    (Sent("GET /a?q=%zz"), Sent("GET /a?q=zz")), (Sent("GET /a?q=%4"), Sent("GET /a?q=4")),
    (Sent("GET /a?q=e%CC%81"), Sent("GET /a?q=%C3%A9")),
    (Sent("POST /p", json, #"{"a":"e\u0301"}"#), Sent("POST /p", json, #"{"a":"\u00e9"}"#)),
    (Sent("POST /p", json, "[1]"), Sent("POST /p", json, "[1.0]")),
    (Sent("POST /p", json, "[1,2]"), Sent("POST /p", json, "[2,1]")),
    (Sent("POST /p", json, #"["1"]"#), Sent("POST /p", json, "[1]")),
    (Sent("POST /p", json, "[[],[]]"), Sent("POST /p", json, "[[[]]]")),
    (Sent("POST /p", json, #"{"a":1,"a":2}"#), Sent("POST /p", json, #"{"a":2,"a":1}"#)),
    (Sent("POST /p", json, #"["\ud800"]"#), Sent("POST /p", json, #"["\ud801"]"#)),
    (Sent("POST /p", json, #"["a","b"]"#), Sent("POST /p", json, #"["a\",\"b"]"#)),
    (Sent("POST /p", json, "{}"), Sent("POST /p", json, "")),
    (Sent("POST /p", json, "{a}"), Sent("POST /p", json, "{a }")),
    (Sent("POST /p", "text/plain", "a=1&b=2"), Sent("POST /p", "text/plain", "b=2&a=1")),
    (Sent("POST /p", form, "a=1"), Sent("POST /p?a=1", form, "")), (part("one", "x"), part("one", "y")),
    (
      Sent("POST /p", "multipart/form-data; boundary=b", "--b\r\nx"),
      Sent("POST /p", "multipart/form-data; boundary=c", "--c\r\nx")
    ),
    (Sent("OPTIONS *"), Sent("OPTIONS /*")),
  ]

  @Test(arguments: same.flatMap { [$0.0, $0.1] } + different.flatMap { [$0.0, $0.1] })
  func `a writer that is used again writes the same key`(_ sent: Sent) {
    let matcher = RequestMatcher()
    #expect(rewrittenKey(sent.request, matcher) == matcher.key(for: sent.request).bytes)
  }

  @Test(arguments: [0, 1, 126, 127, 128, 300])
  func `keys of short and long paths`(length: Int) {
    let matcher = RequestMatcher()
    let request = HTTPRequest(.get, "/\(String(repeating: "a", count: length))")
    #expect(rewrittenKey(request, matcher) == matcher.key(for: request).bytes)
  }

  @Test(arguments: same) func oneKey(left: Sent, right: Sent) {
    let matcher = RequestMatcher()
    #expect(matcher.key(for: left.request) == matcher.key(for: right.request))
    #expect(matcher.key(for: left.request).hashValue == matcher.key(for: right.request).hashValue)
  }

  @Test(arguments: different) func twoKeys(left: Sent, right: Sent) {
    let matcher = RequestMatcher()
    #expect(matcher.key(for: left.request) != matcher.key(for: right.request))
    #expect(matcher.key(for: left.request).digest != matcher.key(for: right.request).digest)
  }

  @Test func `a body that is compressed anew is the same one`() throws {
    let content = Array(#"{"a":1,"b":2}"#.utf8)
    var later = try #require(BodyCoding.gzip.encoded(Array(#"{"b":2,"a":1}"#.utf8)))
    later[4] = 0x2A  // The time of compression (RFC 1952 §2.3.1).
    let coded = try [#require(BodyCoding.gzip.encoded(content)), later].map { body in
      HTTPRequest(.post, "/p", fields: fields([("content-encoding", "gzip")]), body: body)
    }
    let matcher = RequestMatcher()
    #expect(matcher.key(for: coded[0]) == matcher.key(for: coded[1]))
    #expect(matcher.key(for: coded[0]) == matcher.key(for: HTTPRequest(.post, "/p", body: content)))
    let bytes = RequestMatcher(try MatchSpec(["method,path,body:bytes"]).rules())
    #expect(bytes.key(for: coded[0]) != bytes.key(for: coded[1]))
    let damaged = HTTPRequest(
      .post, "/p", fields: fields([("content-encoding", "gzip")]), body: Array(coded[0].body.dropLast(3)))
    #expect(matcher.key(for: damaged) != matcher.key(for: coded[0]))
  }

  @Test func sha256IsSHA256() {
    #expect(
      SHA256Digest(of: Array("abc".utf8)).hex
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    let stream = SHA256Stream()
    for byte in "abc".utf8 { [byte].withUnsafeBytes(stream.update) }
    #expect(stream.finish() == SHA256Digest(of: Array("abc".utf8)))
  }

  @Test(arguments: [
    ("--b\r\nH: 1\r\n\r\nx\r\n--b--", ["H: 1\r\n\r\nx"]),
    ("pre\r\n--b \t\r\n\r\nx\r\n--b\r\n\r\n\r\n--b--\r\nepi", ["\r\nx", "\r\n"]),
    ("--b--", []), ("--b\r\n--b--", [""]), ("--b\r\n\r\n--bx\r\n--b--", nil), ("--b\r\nx", nil), ("x", nil),
    ("--b\r\nx\r\n--b", nil),
    ("--bx\r\n\r\n--b--", nil),
  ])
  func multipart(body: String, expected: [String]?) {
    let parts = MultipartBody(Array(body.utf8), boundary: Array("b".utf8))?.parts
    #expect(parts.map { $0.map { String(decoding: $0, as: UTF8.self) } } == expected)
  }

  @Test func mutatedMultipartNeverTraps() {
    let sent = Self.part("b", "x\r\n--b\r\n\r\ny")
    var random = SeededGenerator(7)
    for _ in 0..<5000 {
      var body = sent.body
      for _ in 0..<3 {
        body[Int.random(in: body.indices, using: &random)] =
          [13, 10, 45, 98, 0].randomElement(using: &random) ?? 0
      }
      body.removeLast(Int.random(in: 0..<body.count, using: &random))
      _ = MultipartBody(body, boundary: Array("b".utf8))
    }
  }
}
