import RecordingTestSupport
import TapedeckHTTP
import TestSupport
import Testing

@testable import TapedeckFormats
@testable import TapedeckRecording
@testable import TapedeckRedaction

@Suite struct CurlReaderTests {
  private func read(_ text: String) -> (requests: [PlannedRequest], notes: [ImportNote]) {
    CurlReader.read(Array(text.utf8), file: "requests.sh")
  }

  /// Without the fields that every request has.
  private func own(_ request: HTTPRequest) -> [String] {
    request.fields.map {
      "\(String(decoding: $0.name, as: UTF8.self)): \(String(decoding: $0.value, as: UTF8.self))"
    }
    .filter { !["Host: a.test", "User-Agent: tapedeck", "Accept: */*"].contains($0) }
  }

  @Test(arguments: [
    ("curl http://a.test/x", "GET", "/x", [], ""), ("curl -sSi a.test", "GET", "/", [], ""),
    (
      "curl -X PUT --url http://a.test/x -d a=1 --data b=2", "PUT", "/x",
      ["Content-Type: application/x-www-form-urlencoded"], "a=1&b=2"
    ),
    ("curl -XDELETE http://a.test/x -o out.txt -w '%{http_code}'", "DELETE", "/x", [], ""),
    (
      "curl http://a.test/x --json '{\"a\": 1}'", "POST", "/x",
      ["Accept: application/json", "Content-Type: application/json"], "{\"a\": 1}"
    ),
    ("curl -G http://a.test/x?y=1 -d a=1 --data-urlencode 'b=1 &'", "GET", "/x?y=1&a=1&b=1%20%26", [], ""),
    ("curl -I http://a.test/", "HEAD", "/", [], ""), ("/usr/bin/curl http://a.test/#f", "GET", "/", [], ""),
    (
      "curl http://a.test/ -u me:pass -b 'a=1; b=2' -A x/1 -e http://r", "GET", "/",
      ["Authorization: Basic bWU6cGFzcw==", "Cookie: a=1; b=2", "User-Agent: x/1", "Referer: http://r"], ""
    ),
    (
      "curl http://a.test/ -H 'Accept: a/b' -H 'User-Agent:' -H 'X-Empty;'", "GET", "/",
      ["Accept: a/b", "X-Empty: "], ""
    ),
    (
      "curl 'http://a.test/' \\\n  -H 'A: 1' \\\r\n  --data-raw $'it\\'s\\n\\u00e9\\x21\\041' --compressed",
      "POST", "/", ["Content-Type: application/x-www-form-urlencoded", "A: 1"], "it's\né!!"
    ),
    ("curl \"http://a.test/\\\"x\\\"\" # comment", "GET", "/\"x\"", [], ""),
    ("curl -g 'http://a.test/[1]'", "GET", "/[1]", [], ""),
    (
      "curl http://a.test/ -d '{\"a\":1}' -H 'content-type: application/json'", "POST", "/",
      ["content-type: application/json"], "{\"a\":1}"
    ),
  ]) func `a command is one request`(
    command: String, method: String, target: String, fields: [String], body: String
  ) throws {
    let (requests, notes) = read(command)
    let request = try #require(requests.first).request
    #expect(requests.count == 1 && notes.isEmpty, "\(notes)")
    #expect(requests.first?.origin == "http://a.test")
    #expect(request.method.rawValue == method)
    #expect(request.targetText == target)
    #expect(own(request) == fields)
    #expect(String(decoding: request.body, as: UTF8.self) == body)
  }

  @Test func `parts of a form`() throws {
    let request = try #require(read("curl http://a.test/ -F a=1 --form-string 'b=@x;y'").requests.first)
      .request
    let parts = try #require(
      MultipartBody(request.body, boundary: Array("------------------------tapedeck".utf8))
    ).parts
    #expect(
      parts.map { String(decoding: $0, as: UTF8.self) } == [
        "Content-Disposition: form-data; name=\"a\"\r\n\r\n1",
        "Content-Disposition: form-data; name=\"b\"\r\n\r\n@x;y",
      ])
  }

  @Test func `several commands, as browsers copy them`() {
    let text =
      "curl 'http://a.test/1' ;\ncurl 'http://a.test/2' &\n\n# and\ncurl http://a.test/3 http://b.test/4"
    #expect(
      read(text).requests.map { "\($0.entry) \($0.origin)\($0.request.targetText)" } == [
        "line 1 http://a.test/1", "line 2 http://a.test/2", "line 5 http://a.test/3",
        "line 5 http://b.test/4",
      ])
  }

  @Test(arguments: [
    ("wget http://a.test", "no curl"), ("curl", "no URL"), ("curl --next http://a", "--next"),
    ("curl -x p http://a.test", "-x"),
    ("curl http://a.test -d @file", "file"), ("curl http://a.test -F a=@file", "file"),
    ("curl http://a.test -H @file", "file"),
    ("curl http://a.test -b jar", "file"), ("curl http://a.test/$HOME", "place of $"),
    ("curl \"http://a.test/$(x)\"", "place of $"),
    ("curl http://a.test | jq", "pipes"), ("curl http://a.test > x", "pipes"),
    ("curl 'http://a.test", "quote"), ("curl http://a.test/{1,2}", "pattern"),
    ("curl http://u:p@a.test/", "-u"), ("curl ftp://a.test/", "http"), ("curl -H", "value"),
    ("curl http://a.test -H 'A b: 1'", "header"),
    ("curl http://a.test -d a -F b=c", "both"), ("curl -X 'A B' http://a.test", "method"),
  ]) func `what is not understood is told, not guessed`(command: String, named: String) {
    let (requests, notes) = read(command)
    #expect(requests.isEmpty)
    #expect(notes.first?.severity == .skipped)
    #expect(notes.contains { $0.problem.contains(named) }, "\(notes)")
  }

  /// What `export --format curl` writes is read as the request it was made from.
  @Test(
    arguments: [
      Array("/é?a=é".utf8), Array("/x?a=é".utf8), [0x2F, 0xE9], [0x2F, 0x3F, 0xE9],
      Array("/a\"\\^`{|}<>".utf8),
    ]) func `our own line of a raw target is read back`(target: [UInt8]) throws
  {
    let line = CurlCommand(HTTPRequest(method: .get, target: target), base: "http://a.test").text
    #expect(read(line).requests.map(\.request.target) == [target], "\(line)")
  }

  @Test(
    arguments: [
      ("curl 'http://a.test/é?n=é'", "/%C3%A9?n=é"), ("curl 'http://a.test/x' --request-target '/é'", "/é"),
      ("curl -G 'http://a.test/x' -d 'n=é'", "/x?n=é"),
    ]) func `what curl sends raw stays raw`(line: String, target: String)
  {
    #expect(read(line).requests.map(\.request.targetText) == [target])
  }

  @Test func `our own lines are read back`() throws {
    var random = SeededGenerator(5)
    for _ in 0..<300 {
      let body = (0..<random.below(40)).map { _ in UInt8(truncatingIfNeeded: 1 + random.below(255)) }
      var request = HTTPRequest(
        .post, "/x?a=[1]&b={2}",
        fields: fields([
          ("Host", "a.test"), ("User-Agent", "t"), ("Accept", "*/*"), ("X-Q", "it's \"quoted\" \\ $HOME `x`"),
        ]),
        body: body)
      if !body.isEmpty { try request.fields.append("Content-Type", "application/octet-stream") }
      let line = CurlCommand(request, base: "http://a.test").text
      let planned = try #require(read(line).requests.first, "\(line)").request
      #expect(planned.target == SourceURL.encoded(request.target[...], keepsQuery: true))
      #expect(planned.body == request.body, "\(line)")
      #expect(Set(own(planned)) == Set(own(request)))
    }
  }

  @Test func `any bytes end in requests and notes`() {
    let text = Array(
      "curl -sX POST 'http://a.test/x' -H \"A: \\\"1\\\"\" --data-raw $'\\u00e9\\'' -F a=b \\\n ; curl b".utf8
    )
    var random = SeededGenerator(3)
    for _ in 0..<20_000 {
      var bytes = text
      for _ in 0...random.below(4) { random.mutate(&bytes) }
      _ = CurlReader.read(bytes, file: "x")
    }
  }
}
