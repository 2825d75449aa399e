import RecordingTestSupport
import TapedeckHTTP
import Testing

@testable import TapedeckFormats
@testable import TapedeckRecording
@testable import TapedeckRedaction

@Suite struct VCRReaderTests {
  private func read(_ text: String, _ format: ImportFormat? = nil) throws -> ImportedSession {
    try ImportedSession.read(ImportSource(path: "cassette.yml", bytes: Array(text.utf8)), format: format)
  }

  @Test func `a cassette of vcrpy`() throws {
    let session = try read(
      """
      interactions:
      - request:
          body: '{"a": 1}'
          headers:
            Accept: ['*/*']
            Content-Type:
            - application/json
          method: POST
          uri: https://api.test/users?x=1
        response:
          body: {string: !!binary aGVsbG8A}
          headers:
            Set-Cookie:
            - a=1
            - b=2
            Transfer-Encoding: [chunked]
          status: {code: 201, message: Created}
      version: 1
      """)
    let exchange = try #require(session.exchanges.first)
    #expect(session.exchanges.count == 1 && session.notes == [])
    #expect(exchange.origin == "https://api.test")
    let request = exchange.interaction.request
    #expect(
      request.method == .post && request.targetText == "/users?x=1"
        && request.body == Array(#"{"a": 1}"#.utf8))
    #expect(
      request.fields
        == fields([("Host", "api.test"), ("Accept", "*/*"), ("Content-Type", "application/json")]))
    let response = exchange.interaction.response
    #expect(response.head.status == 201 && response.head.reason == Array("Created".utf8))
    #expect(response.head.fields == fields([("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")]))
    #expect(response.body == .bytes(Array("hello\0".utf8)) && response.chunkSizes == [6])
  }

  @Test func `a cassette of VCR`() throws {
    let session = try read(
      """
      ---
      http_interactions:
      - request:
          method: get
          uri: http://api.test/
          body:
            encoding: US-ASCII
            string: ''
          headers: {}
        response:
          status:
            code: 200
            message: 
          headers:
            Content-Type:
            - text/html; charset=iso-8859-1
          body:
            encoding: ISO-8859-1
            string: café
          http_version: '1.0'
        recorded_at: Tue, 01 Nov 2011 04:58:44 GMT
      recorded_with: VCR 5.0.0
      """)
    let interaction = try #require(session.exchanges.first).interaction
    #expect(interaction.request.method == .get)
    #expect(interaction.response.head.version == .http10)
    #expect(interaction.response.head.reason == Array("OK".utf8))
    #expect(interaction.response.body == .bytes(Array("caf".utf8) + [0xE9]))
    #expect(interaction.volatile.recordedAtMilliseconds == 1_320_123_524_000)
  }

  @Test func `a cassette of go-vcr`() throws {
    let session = try read(
      """
      ---
      version: 2
      interactions:
          - id: 0
            request:
              proto: HTTP/1.1
              body: ""
              headers:
                  Accept:
                      - '*/*'
              url: http://api.test/x
              method: GET
            response:
              proto: HTTP/1.1
              uncompressed: true
              body: hello
              headers:
                  X-A:
                      - "1"
              status: 404 Not Here
              code: 404
              duration: 1.5ms
      """)
    let interaction = try #require(session.exchanges.first).interaction
    #expect(interaction.response.head.status == 404)
    #expect(interaction.response.head.reason == Array("Not Here".utf8))
    #expect(interaction.volatile.durationMilliseconds == 1.5)
  }

  @Test func `the same in JSON`() throws {
    let session = try read(
      #"""
      {"version": 1, "interactions": [{"request": {"method": "GET", "uri": "http://api.test/", "body": null, "headers": {}},
      "response": {"status": {"code": 200, "message": "OK"}, "headers": {"A": ["1", "2"]},
      "body": {"base64_string": "aGVsbG8="}}}]}
      """#)
    #expect(session.exchanges.first?.interaction.response.body == .bytes(Array("hello".utf8)))
    #expect(session.exchanges.first?.interaction.response.head.fields == fields([("A", "1"), ("A", "2")]))
  }

  @Test(arguments: [
    ("gzip", "!!binary H4sIAAAAAAAA/w==", true), ("br", "!!binary GwUA+I+qqqo=", true),
    ("br", "plain", false), ("gzip", "plain", false),
  ]) func `Content-Encoding stays unless the body is text`(coding: String, body: String, stays: Bool) throws {
    let session = try read(
      """
      interactions:
      - request: {method: GET, uri: 'http://api.test/'}
        response: {status: {code: 200}, headers: {Content-Encoding: [\(coding)]}, body: {string: \(body)}}
      """)
    let head = try #require(session.exchanges.first).interaction.response.head
    #expect(head.fields.contains("content-encoding") == stays)
  }

  @Test(arguments: [
    (
      "{method: GET, uri: 'http://api.test/<%= x %>'}", "{status: {code: 200}}", ImportNote.Severity.lost,
      "ERB"
    ),
    ("{method: GET, uri: 'http://api.test/<TOKEN>'}", "{status: {code: 200}}", .lost, "placeholder"),
    (
      "{method: GET, uri: 'http://api.test/'}", "{status: {code: 200}, body: {encoding: EUC-KR, string: é}}",
      .lost, "euc-kr"
    ),
    (
      "{method: GET, uri: 'http://api.test/'}", "{status: {code: 200}, body: {base64_string: '!'}}", .skipped,
      "base64"
    ),
    ("{method: GET, uri: 'http://api.test/'}", "{status: {code: 200}, body: [1]}", .skipped, "neither"),
    ("{method: GET, uri: '/only/a/path'}", "{}", .skipped, "failed"), ("{}", "{}", .skipped, "method"),
    ("{method: GET, uri: 'ftp://a/'}", "{status: {code: 200}}", .skipped, "http"),
  ]) func `what cannot be carried over is told`(
    request: String, response: String, severity: ImportNote.Severity, named: String
  ) throws {
    let session = try read("interactions:\n- request: \(request)\n  response: \(response)\n")
    #expect(session.notes.map(\.severity) == [severity])
    #expect(session.notes.first?.problem.contains(named) == true, "\(session.notes)")
    #expect(session.exchanges.isEmpty == (severity == .skipped))
  }

  @Test func `what is wrong is told by its line`() {
    #expect(
      throws: CassetteError.invalidYAML(
        file: "cassette.yml", line: 2, column: 12,
        problem: "this tag is not known; known are !!binary and !!str")
    ) {
      try read("interactions:\n- request: !!python/object:x.Y {}\n")
    }
    #expect(throws: CassetteError.unknownFormat(path: "cassette.yml")) { try read("hello: world\n") }
    #expect(throws: CassetteError.self) { try read("hello: world\n", .vcr) }
  }
}
