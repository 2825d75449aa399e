import RecordingTestSupport
import TapedeckHTTP
import Testing

@testable import TapedeckFormats
@testable import TapedeckRecording
@testable import TapedeckRedaction

/// Simulations as Hoverfly's documentation of schema 5 has them.
@Suite struct HoverflyReaderTests {
  private static let request =
    #""path": [{"matcher": "exact", "value": "/x"}], "method": [{"matcher": "exact", "value": "GET"}], "destination": [{"matcher": "exact", "value": "api.test"}], "scheme": [{"matcher": "exact", "value": "https"}], "body": [{"matcher": "exact", "value": ""}], "query": {}"#

  private func read(_ pairs: String..., more: String = "", version: String = "v5.2") throws -> ImportedSession
  {
    let text = #"""
      {"data": {"pairs": [\#(pairs.joined(separator: ", "))]\#(more)}, "meta": {"schemaVersion": "\#(version)"}}
      """#
    return try ImportedSession.read(ImportSource(path: "s.json", bytes: Array(text.utf8)))
  }

  private func pair(_ request: String = Self.request, _ response: String = #""status": 200, "body": "hello""#)
    -> String
  {
    #"{"request": {\#(request)}, "response": {\#(response)}}"#
  }

  /// The usual request with one member replaced, or left away.
  private func request(_ name: String, _ value: String?) throws -> String {
    let members = try #require(JSONValue(parsing: Array("{\(Self.request)}".utf8)).members).filter {
      $0.name.text != name
    }
    let rest = JSONValue.object(members).bytes().dropFirst().dropLast()
    return String(decoding: rest, as: UTF8.self) + (value.map { #", "\#(name)": \#($0)"# } ?? "")
  }

  @Test func `a pair as it is captured`() throws {
    let session = try read(
      pair(
        Self.request,
        #""status": 201, "body": "aGVsbG8=", "encodedBody": true, "headers": {"A": ["1", "2"]}, "templated": false"#
      ))
    let exchange = try #require(session.exchanges.first)
    #expect(exchange.origin == "https://api.test")
    #expect(exchange.interaction.request.targetText == "/x")
    #expect(exchange.interaction.response.head.status == 201)
    #expect(exchange.interaction.response.head.fields == fields([("A", "1"), ("A", "2")]))
    #expect(exchange.interaction.response.body == .bytes(Array("hello".utf8)))
    #expect(session.notes.isEmpty)
  }

  @Test(arguments: [
    (
      "query",
      #"{"a b": [{"matcher": "exact", "value": "&"}], "c": [{"matcher": "array", "value": ["1", "2"]}]}"#,
      "/x?a+b=%26&c=1&c=2"
    ),
    ("deprecatedQuery", #"[{"matcher": "exact", "value": "a=1"}]"#, "/x?a=1"),
    ("path", #"[{"matcher": "exact", "value": "/é ?"}]"#, "/%C3%A9%20%3F"),
  ]) func `targets`(name: String, value: String, target: String) throws {
    #expect(try read(pair(request(name, value))).exchanges.first?.interaction.request.targetText == target)
  }

  @Test(
    arguments: [
      (#"[{"matcher": "json", "value": "{\"a\": 1}"}]"#, #"{"a": 1}"#, "application/json"),
      (#"[{"matcher": "exact", "value": "text"}]"#, "text", nil),
      (
        #"[{"matcher": "form", "value": {"a": [{"matcher": "exact", "value": "1 2"}]}}]"#, "a=1+2",
        "application/x-www-form-urlencoded"
      ),
    ] as [(String, String, String?)]) func `bodies`(value: String, body: String, type: String?) throws
  {
    let request = try #require(try read(pair(request("body", value))).exchanges.first).interaction.request
    #expect(String(decoding: request.body, as: UTF8.self) == body)
    #expect(request.fields.text("content-type") == type)
  }

  @Test(
    arguments: [
      ("path", #"[{"matcher": "glob", "value": "/*"}]"#), ("path", nil), ("method", nil),
      ("method", #"[{"matcher": "negate", "value": "GET"}]"#),
      ("destination", #"[{"matcher": "regex", "value": "."}]"#),
      ("query", #"{"a": [{"matcher": "regex", "value": "."}]}"#),
      ("headers", #"{"a": [{"matcher": "glob", "value": "*"}]}"#),
      ("body", #"[{"matcher": "jsonpath", "value": "$.a"}]"#),
      ("body", #"[{"matcher": "exact", "value": "a", "doMatch": {"matcher": "exact", "value": "b"}}]"#),
      ("requiresState", #"{"loggedIn": "true"}"#),
    ] as [(String, String?)]) func `patterns and states are left out`(name: String, value: String?) throws
  {
    let session = try read(pair(request(name, value)))
    #expect(session.exchanges.isEmpty)
    #expect(session.notes.contains { $0.severity == .skipped })
  }

  @Test(arguments: [
    #""templated": true"#, #""removesState": ["x"]"#, #""transitionsState": {"x": "y"}"#, #""bodyFile": "x""#,
  ])
  func `responses that are made are left out`(response: String) throws {
    #expect(try read(pair(Self.request, #""status": 200, \#(response)"#)).notes.map(\.severity) == [.skipped])
  }

  @Test func `sequences are responses in order`() throws {
    func state(_ number: Int) throws -> String {
      pair(
        try request("requiresState", #"{"sequence:1": "\#(number)"}"#),
        #""status": 200, "body": "\#(number)", "transitionsState": {"sequence:1": "\#(number + 1)"}"#)
    }
    let session = try read(try state(3), try state(1), try state(2))
    #expect(
      session.exchanges.map(\.interaction.response.body) == ["1", "2", "3"].map { .bytes(Array($0.utf8)) })
    #expect(session.notes.isEmpty)
  }

  @Test func `what else it says is told`() throws {
    let session = try read(
      pair(Self.request, #""status": 200, "fixedDelay": 5, "logNormalDelay": {"min": 1}"#),
      more: #", "globalActions": {"delays": [{"delay": 1}], "delaysLogNormal": []}"#)
    #expect(session.exchanges.first?.interaction.volatile.durationMilliseconds == 5)
    #expect(session.notes.map(\.severity) == [.changed, .lost, .lost])
  }

  @Test func `older schemas are refused by name`() {
    let error = #expect(throws: CassetteError.self) { try read(version: "v3") }
    #expect(error?.description.contains("v3") == true)
  }
}
