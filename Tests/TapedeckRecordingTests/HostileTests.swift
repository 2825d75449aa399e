import RecordingTestSupport
import TapedeckHTTP
import Testing

@testable import TapedeckRecording
@testable import TapedeckRedaction

/// What a cassette claims about framing, and what looks alike but is not the same.
@Suite struct HostileTests {
  static let get = #""request": {"method": "GET", "target": "/"}"#

  private func load(_ request: String = get, _ response: String) throws -> Cassette {
    let folder = try TemporaryDirectory()
    try folder.write("c/one.json", #"{\#(request), "response": {\#(response)}}"#)
    return try Cassette.load(folder("c"))
  }

  @Test(
    "C04 framing is what the body says, whatever the headers claim",
    arguments: [
      #"["Content-Length", "99"]"#, #"["Content-Length", "1"], ["content-length", "2"]"#,
      #"["Transfer-Encoding", "chunked"], ["Content-Length", "5"]"#,
      #"["Connection", "close, X-Gone"], ["X-Gone", "1"]"#,
      #"["Keep-Alive", "timeout=5"], ["Upgrade", "h2c"], ["Content-Length", "-1"]"#,
    ])
  func framing(headers: String) throws {
    let cassette = try load(Self.get, #""status": 200, "headers": [\#(headers)], "body": {"text": "hello"}"#)
    let response = try #require(cassette.interactions.first).interaction.response
    for field in response.head.fields {
      #expect(field.isNamed("content-length"), "\(String(decoding: field.name, as: UTF8.self))")
      #expect(field.value.elementsEqual("5".utf8))
    }
    #expect(response.head.fields.count <= 1)
  }

  @Test("C08 duplicates, lone surrogates and numbers beyond all doubles are bounded")
  func oddJSON() throws {
    let body = #"{"a":1,"a":2,"s":"\ud800","n":1e400,"big":1\#(String(repeating: "0", count: 400))}"#
    let cassette = try load(Self.get, #""status": 200, "body": {"json": \#(body)}"#)
    #expect(cassette.interactions.first?.interaction.response.body == .bytes(Array(body.utf8)))
    for response in [
      #""status": 1e400"#, #""status": 1\#(String(repeating: "0", count: 400))"#,
      #""status": 200, "status": 200"#,
      #""status": 200, "reason": "\ud800""#, #""status": 200, "body": {"text": "\udc00"}"#,
      #""status": 200, "body": {"json": \#(String(repeating: "[", count: 100_000))}"#,
    ] {
      #expect(throws: CassetteError.self) { _ = try load(Self.get, response) }
    }
    let late = #""request": {"method": "GET", "target": "/"}, "volatile": {"durationMilliseconds": 1e400}"#
    #expect(throws: CassetteError.self) { _ = try load(late, #""status": 200"#) }
  }

  @Test("C08 a string of many megabytes is read as any other") func longString() throws {
    let text = String(repeating: "a", count: 16 << 20)
    let cassette = try load(Self.get, #""status": 200, "body": {"text": "\#(text)"}"#)
    #expect(cassette.interactions.first?.interaction.response.body.count == text.utf8.count)
  }

  @Test("C11 texts that Unicode calls equal stay distinct")
  func normalForms() throws {
    let (composed, decomposed) = ("\u{E9}", "e\u{301}")
    #expect(composed == decomposed)
    let folder = try TemporaryDirectory()
    let pairs = [composed, decomposed].map { text in
      [
        exchange("POST", "/body", sends: Array(text.utf8), body: Array(text.utf8)),
        exchange(
          "POST", "/json", headers: [("Content-Type", "application/json")],
          sends: Array(#"{"\#(text)":1}"#.utf8),
          body: Array(text.utf8)),
        exchange(
          "GET", "/q?a=" + text.utf8.map { "%" + String($0, radix: 16) }.joined(), body: Array(text.utf8)),
      ]
    }
    try record(pairs.flatMap(\.self), into: folder("c"))
    let cassette = try Cassette.load(folder("c"))
    #expect(cassette.count == 6)
    for interaction in pairs.flatMap(\.self) {
      let sequence = try #require(cassette.sequence(for: interaction.request))
      #expect(sequence.interactions.map(\.interaction.response.body) == [interaction.response.body])
    }
    try folder.write("d/\(composed).json", #"{\#(Self.get), "response": {"status": 201}}"#)
    try folder.write("d/\(decomposed).json", #"{\#(Self.get), "response": {"status": 202}}"#)
    #expect(
      try Cassette.load(folder("d")).interactions.map(\.interaction.response.head.status) == [202, 201])
  }
}
