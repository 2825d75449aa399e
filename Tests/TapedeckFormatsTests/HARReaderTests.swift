import RecordingTestSupport
import TapedeckHTTP
import Testing

@testable import TapedeckFormats
@testable import TapedeckRecording
@testable import TapedeckRedaction

/// What the reader makes of entries as other tools write them: `peers` of the format each broke in its own way.
@Suite struct HARReaderTests {
  /// A session of one entry; each argument is JSON.
  private func read(
    method: String = "GET", url: String = "https://api.test/users?q=1", request: String = "",
    response: String = #""status": 200, "content": {"text": "hello"}"#, entry: String = ""
  ) throws -> ImportedSession {
    let text = """
      {"log": {"entries": [{\(entry) "request": {"method": "\(method)", "url": "\(url)"\(request)},
      "response": {\(response)}}]}}
      """
    return try ImportedSession.read(ImportSource(path: "session.har", bytes: Array(text.utf8)))
  }

  private func body(_ session: ImportedSession) -> [UInt8]? {
    guard case .bytes(let bytes) = session.exchanges.first?.interaction.response.body else { return nil }
    return bytes
  }

  private func text(_ session: ImportedSession) -> String? {
    body(session).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `the least that makes an exchange`() throws {
    let session = try read()
    let exchange = try #require(session.exchanges.first)
    #expect(exchange.origin == "https://api.test")
    #expect(exchange.interaction.request.targetText == "/users?q=1")
    #expect(exchange.interaction.request.fields == fields([("Host", "api.test")]))
    #expect(exchange.interaction.response.head.status == 200)
    #expect(String(decoding: exchange.interaction.response.head.reason, as: UTF8.self) == "OK")
    #expect(text(session) == "hello")
    #expect(session.notes.isEmpty)
  }

  @Test(
    arguments: [
      (#""time": 12.5, "startedDateTime": "2026-11-21T01:52:33.123Z","#, 1_795_225_953_136, 12.5),
      (#""time": 1, "startedDateTime": "2026-11-21T02:52:33.1234567+01:00","#, 1_795_225_953_124, 1),
      (#""time": 0, "startedDateTime": "2026-11-21T01:52:33Z","#, 1_795_225_953_000, 0),
      (#""time": -79, "startedDateTime": "2026-11-20T20:52:33.000-0500","#, 1_795_225_953_000, nil),
      (#""time": NaN, "startedDateTime": "2026-11-21T01:52:33.000Z","#, 1_795_225_953_000, nil),
      (#""time": -Infinity, "startedDateTime": "yesterday","#, nil, nil),
      (#""time": "12", "startedDateTime": 3,"#, nil, nil),
      ("", nil, nil),
    ] as [(String, Int?, Double?)]) func `times`(entry: String, recordedAt: Int?, duration: Double?) throws
  {
    let facts = try #require(try read(entry: entry).exchanges.first).interaction.volatile
    #expect(facts.recordedAtMilliseconds == recordedAt)
    #expect(facts.durationMilliseconds == duration)
  }

  @Test(arguments: [
    (#"{"text": "aGVsbG8=", "encoding": "base64"}"#, "hello"),
    (#"{"text": "aGVs\nbG8", "encoding": "BASE64"}"#, "hello"),
    (#"{"text": "no base64!", "encoding": "base64"}"#, "no base64!"),
    (#"{"text": "aGVsbG8=", "encoding": null}"#, "aGVsbG8="),
    (#"{"text": "", "size": 0}"#, ""),
    (#"{"size": 0}"#, ""),
    (#"{"text": "half \ud83d of a pair"}"#, "half \u{FFFD}\u{FFFD}\u{FFFD} of a pair"),
  ]) func `bodies that are there`(content: String, expected: String) throws {
    #expect(try text(read(response: #""status": 200, "content": \#(content)"#)) == expected)
  }

  @Test(arguments: [
    #""content": {"size": 1234, "mimeType": "image/png"}"#,
    #""content": {"size": -1}, "headers": [{"name": "Content-Length", "value": "5"}]"#,
    #""content": {}, "bodySize": 77"#,
  ]) func `a body that is missing is never taken for an empty one`(response: String) throws {
    let session = try read(response: #""status": 200, \#(response)"#)
    #expect(session.exchanges.isEmpty)
    #expect(session.notes.map(\.severity) == [.skipped])
    #expect(try read(method: "HEAD", response: #""status": 200, \#(response)"#).exchanges.count == 1)
    #expect(try read(response: #""status": 304, \#(response)"#).exchanges.count == 1)
  }

  @Test(arguments: [
    (#""status": 0, "_error": "net::ERR_FAILED", "content": {}"#, "net::ERR_FAILED"),
    (#""status": -1, "_failureText": "aborted""#, "aborted"),
    (#""status": 101, "content": {"size": 0}"#, "101"),
    (#""status": "200""#, "failed"),
    ("", "failed"),
    (#""status": 1e300"#, "failed"),
  ]) func `what was never answered is left out`(response: String, named: String) throws {
    let session = try read(response: response)
    #expect(session.exchanges.isEmpty)
    #expect(session.notes.count == 1)
    #expect(session.notes.first?.problem.contains(named) == true, "\(session.notes)")
    #expect(session.notes.first?.request == "GET https://api.test/users")
  }

  @Test(arguments: [
    ("data:text/plain,secret", "data:…"), ("blob:https://a.test/1", "blob:…"), ("wss://a.test/", "wss:…"),
    ("", "an empty text"), ("https:///path", "host"), ("http://a b/", "host"),
  ]) func `URLs that nobody can be asked for`(url: String, named: String) throws {
    let session = try read(url: url)
    #expect(session.exchanges.isEmpty)
    let note = try #require(session.notes.first)
    #expect(note.problem.contains(named) && !note.problem.contains("secret"), "\(note)")
  }

  @Test(arguments: [
    ("HTTPS://API.Test:443/a b?q=é#part", "https://api.test", "/a%20b?q=%C3%A9"),
    ("http://api.test:80", "http://api.test", "/"),
    ("http://api.test:8080?x=1", "http://api.test:8080", "/?x=1"),
    ("http://[::1]:80/x", "http://[::1]", "/x"),
    ("https://user:pass@api.test/x", "https://api.test", "/x"),
  ]) func `URLs`(url: String, origin: String, target: String) throws {
    let exchange = try #require(try read(url: url).exchanges.first)
    #expect(exchange.origin == origin)
    #expect(exchange.interaction.request.targetText == target)
  }

  @Test func `headers in every form, without those of the connection`() throws {
    let session = try read(
      request:
        #", "headers": [["X-One", "1"], {"name": ":authority", "value": "other.test"}, {"name": "X-Two", "value": "2"}]"#,
      response: #"""
        "status": 200, "content": {"text": "hello"}, "headers": [{"name": ":status", "value": "200"},
        {"name": "Set-Cookie", "value": "a=1\nb=2"}, {"name": "Connection", "value": "keep-alive"},
        {"name": "Content-Length", "value": "999"}, {"name": "Bad Name", "value": "x"}]
        """#)
    let interaction = try #require(session.exchanges.first).interaction
    #expect(interaction.request.fields == fields([("Host", "other.test"), ("X-One", "1"), ("X-Two", "2")]))
    #expect(
      interaction.response.head.fields
        == fields([("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"), ("Content-Length", "5")]))
    #expect(session.notes.map(\.severity) == [.lost])
  }

  @Test(
    arguments: [
      (#""text": "hello""#, "gzip", "hello", nil),
      (#""text": "hello""#, "br", "hello", nil),
      (#""text": "H4sIAAAAAAAA/w==", "encoding": "base64""#, "gzip", nil, "gzip"),
      (#""text": "eJyrVkpJTUstKklNUbIqKSpNrQUAOHAFrw==", "encoding": "base64""#, "deflate", nil, "deflate"),
      (#""text": "[\"H4sI\",\"AAAA\"]", "encoding": "base64""#, "gzip", nil, "gzip"),
      (#""text": "[\"1f8b08\",\"0000\"]", "encoding": "base64""#, "gzip", nil, "gzip"),
    ] as [(String, String, String?, String?)])
  func `Content-Encoding stays only where the body is still encoded`(
    content: String, coding: String, expected: String?, kept: String?
  ) throws {
    let session = try read(
      response: #"""
        "status": 200, "content": {\#(content)}, "headers": [{"name": "Content-Encoding", "value": "\#(coding)"}]
        """#)
    let head = try #require(session.exchanges.first).interaction.response.head
    #expect(head.fields.text("content-encoding") == kept)
    if let expected { #expect(text(session) == expected) }
    #expect(session.notes.map(\.severity) == (kept == nil ? [.changed] : []))
  }

  @Test func `pieces of Polly come together as they were on the wire`() throws {
    let content = #"{"text": "[\"H4sI\",\"1f8b\"]", "encoding": "base64"}"#
    #expect(
      try body(read(response: #""status": 200, "content": \#(content)"#)) == [
        0x1F, 0x8B, 0x08, 0xD5, 0xFF, 0x1B,
      ])
  }

  @Test func `text goes back into its charset`() throws {
    func read(_ charset: String) throws -> ImportedSession {
      try self.read(
        response: #"""
          "status": 200, "content": {"text": "caf\u00e9 \u20ac"},
          "headers": [{"name": "Content-Type", "value": "text/plain; charset=\#(charset)"}]
          """#)
    }
    #expect(try body(read("ISO-8859-1")) == Array("caf".utf8) + [0xE9, 0x20, 0x80])
    #expect(try text(read("utf-8")) == "café €")
    #expect(try read("shift_jis").notes.map(\.severity) == [.lost])
  }

  @Test(arguments: [
    (#"{"mimeType": "application/json", "text": "{\"a\":1}"}"#, #"{"a":1}"#),
    (#"{"mimeType": "x", "text": "AAH/", "_encoding": "base64"}"#, "\u{0}\u{1}\u{FFFD}"),
    (
      #"{"mimeType": "application/x-www-form-urlencoded", "params": [{"name": "a", "value": "1 &"}, {"name": "b"}]}"#,
      "a=1+%26&b="
    ),
    (
      #"{"mimeType": "application/x-www-form-urlencoded", "params": [{"name": "a", "value": "1%20%26"}]}"#,
      "a=1%20%26"
    ),
    (#"{"mimeType": "application/x-www-form-urlencoded", "text": "a=1", "params": [{"name": "b"}]}"#, "a=1"),
  ]) func `bodies of requests`(data: String, expected: String) throws {
    let request = try #require(try read(method: "POST", request: #", "postData": \#(data)"#).exchanges.first)
      .interaction.request
    #expect(String(decoding: request.body, as: UTF8.self) == expected)
  }

  @Test(arguments: [
    #", "bodySize": 5"#,
    #", "bodySize": 5, "postData": {"mimeType": "application/octet-stream", "text": ""}"#,
    #", "headers": [["Content-Length", "5"]], "postData": {"mimeType": "x", "text": "", "params": []}"#,
    #", "postData": {"mimeType": "multipart/form-data; boundary=x", "params": [{"name": "a", "value": "b"}]}"#,
  ]) func `a request whose body is missing is kept for rules that leave bodies out`(request: String)
    throws
  {
    let session = try read(method: "POST", request: request)
    #expect(session.exchanges.first?.interaction.request.body == [])
    #expect(session.notes.map(\.severity) == [.lost])
  }

  @Test(arguments: [
    #"{"status": 302, "headers": [{"name": "Location", "value": "/b"}], "content": {"size": -1}, "bodySize": 5}"#,
    #"{"status": 301, "headers": [{"name": "Content-Length", "value": "9"}], "content": {"size": -1}}"#,
    #"{"status": 307, "content": {"size": 9}}"#,
  ]) func `a redirect without a body has an empty one`(response: String) throws {
    let text =
      #"{"log": {"entries": [{"request": {"method": "GET", "url": "http://a.test/"}, "response": \#(response)}]}}"#
    let session = try ImportedSession.read(ImportSource(path: "x", bytes: Array(text.utf8)))
    #expect(session.exchanges.first?.interaction.response.body == .bytes([]))
  }

  @Test func `bodies beside the file`() throws {
    let text = #"""
      {"log": {"entries": [
      {"request": {"method": "GET", "url": "http://a.test/1"}, "response": {"status": 200, "content": {"_file": "one.bin"}}},
      {"request": {"method": "GET", "url": "http://a.test/2"}, "response": {"status": 200, "content": {"_file": "../two.bin"}}}
      ]}}
      """#
    let folder = try TemporaryDirectory()
    try folder.write("session.har", text)
    try folder.write("one.bin", "one")
    let session = try ImportedSession.read("\(folder.path)/session.har")
    #expect(self.text(session) == "one")
    #expect(session.notes.count == 1)
  }

  @Test func `a byte order mark is no reason to refuse`() throws {
    let bytes = [0xEF, 0xBB, 0xBF] + Array(#"{"log": {"entries": []}}"#.utf8)
    #expect(try ImportedSession.read(ImportSource(path: "x", bytes: bytes)).exchanges.isEmpty)
  }

  @Test func `NaN in a string stays, and what is still wrong is named by its place`() throws {
    let good = #"{"log": {"entries": [], "x": [NaN, "NaN \" NaN"]}}"#
    #expect(throws: Never.self) { try ImportedSession.read(ImportSource(path: "x", bytes: Array(good.utf8))) }
    let bad = "{\"log\": NaN,\n oops}"
    #expect(throws: CassetteError.invalidJSON(file: "x", error: try #require(jsonError(bad)))) {
      try ImportedSession.read(ImportSource(path: "x", bytes: Array(bad.utf8)))
    }
  }

  private func jsonError(_ text: String) -> JSONError? {
    do throws(JSONError) { _ = try JSONValue(parsing: Array(text.replacing("NaN", with: "-1 ").utf8)) } catch
    { return error }
    return nil
  }

  @Test(arguments: ["{}", "[1, 2]", #"{"log": {}}"#]) func `other JSON is refused`(text: String) {
    #expect(throws: CassetteError.unknownFormat(path: "x")) {
      try ImportedSession.read(ImportSource(path: "x", bytes: Array(text.utf8)))
    }
  }
}
