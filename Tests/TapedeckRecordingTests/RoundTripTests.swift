import RecordingTestSupport
import TapedeckHTTP
import Testing

@testable import TapedeckRecording
@testable import TapedeckRedaction

@Suite struct RoundTripTests {
  @Test func writesTheDocumentedForm() throws {
    let folder = try TemporaryDirectory()
    var original = exchange(
      "POST", "/users/octocat?x=1", headers: [("Accept", "*/*")], sends: Array("a\r\nb".utf8),
      answers: [("Content-Type", "application/json"), ("Date", "Sat, 21 Nov 2026 01:52:33 GMT")],
      body: Array(#"{"a":[1.0],"e":{}}"#.utf8), chunks: [5, 5, 5, 2, 1])
    original.response.trailers = fields([("X-T", "1")])
    original.volatile.chunkOffsetsMilliseconds = [0.5, 1, 2, 3, 4.25]
    let report = try record([original], into: folder("c"))
    #expect(report.written == 1)
    let name = try #require(try folder.names(of: "c").first { $0.hasPrefix("post-users-octocat-") })
    #expect(
      try folder.text("c/\(name)") == #"""
        {
          "request": {
            "method": "POST",
            "target": "/users/octocat?x=1",
            "headers": [
              ["Accept", "*/*"]
            ],
            "body": {
              "text": [
                "a\r\n",
                "b"
              ]
            }
          },
          "response": {
            "version": "HTTP/1.1",
            "status": 200,
            "reason": "OK",
            "headers": [
              ["Content-Type", "application/json"],
              ["Date", null]
            ],
            "body": {
              "json": {
                "a": [
                  1.0
                ],
                "e": {}
              },
              "style": "compact"
            },
            "chunks": [[5, 3], 2, 1],
            "trailers": [
              ["X-T", "1"]
            ]
          },
          "volatile": {
            "recordedAt": "2026-11-21T01:52:33.123456Z",
            "date": "Sat, 21 Nov 2026 01:52:33 GMT",
            "durationMilliseconds": 12.345,
            "remoteAddress": "127.0.0.1:80",
            "chunkOffsetsMilliseconds": [0.5, 1, 2, 3, 4.25]
          }
        }

        """#)
    #expect(
      try folder.text("c/cassette.json") == #"""
        {
          "tapedeck": 1,
          "upstream": "http://origin.test",
          "match": ["method", "path", "query", "body"],
          "redaction": {
            "key": "\#(RedactionRules.key(upstream: "http://origin.test"))"
          }
        }

        """#)
    #expect(try folder.names(of: "c") == ["cassette.json", name])
    #expect(try Cassette.load(folder("c")).interactions.map(\.interaction) == [original])
  }

  @Test func keepsEverythingThatIsEndToEnd() throws {
    let folder = try TemporaryDirectory()
    var answers = (0..<40).map { ("Set-Cookie", "c\($0)=\($0); Path=/") }
    answers += [("X-empty", ""), ("x-EMPTY", ""), ("Content-Length", "6"), ("Date", "a"), ("Date", "b")]
    var original = exchange(
      "GET", "/all", headers: [("Host", "h.test"), ("X-A", "1"), ("x-a", "2")], answers: answers)
    original.request.authority = Array("h.test".utf8)
    try original.response.head.fields.append(name: Array("X-Bytes".utf8), value: [0xE9, 0x20, 0xFF])
    original.response.head.reason = [0xE9]
    original.response.head.status = 999
    original.response.head.version = .http10
    original.response.isCloseDelimited = false
    original.request.trailers = fields([("T", "1")])
    original.response.trailers = fields([("X-T", "1"), ("X-T", "2")])
    try record([original], into: folder("c"))
    let loaded = try Cassette.load(folder("c")).interactions.map(\.interaction)
    #expect(loaded == [original])
  }

  @Test func dropsWhatBelongsToAConnection() throws {
    let folder = try TemporaryDirectory()
    let original = exchange(
      headers: [("Connection", "x-hop"), ("X-Hop", "1"), ("Keep", "1")],
      answers: [("Transfer-Encoding", "chunked"), ("Connection", "close"), ("Keep", "2")], chunks: [6])
    try record([original], into: folder("c"))
    let loaded = try #require(try Cassette.load(folder("c")).interactions.first).interaction
    #expect(loaded.request.fields == fields([("Keep", "1")]))
    #expect(loaded.response.head.fields == fields([("Keep", "2")]))
    #expect(loaded.response.chunkSizes == [6])
  }

  @Test(arguments: [
    ("GET", 200, "6", true), ("HEAD", 200, "1234", false), ("GET", 204, "7", false), ("GET", 304, "7", false),
  ])
  func makesTheLengthTellTheTruth(method: String, status: Int, expected: String, hasBody: Bool) throws {
    let folder = try TemporaryDirectory()
    let claimed = method == "HEAD" ? "1234" : "7"
    try record(
      [
        exchange(
          method, "/", status: status, answers: [("A", "1"), ("content-LENGTH", claimed), ("B", "2")],
          body: hasBody ? Array("hello\n".utf8) : [])
      ], into: folder("c"))
    let loaded = try #require(try Cassette.load(folder("c")).interactions.first).interaction.response
    #expect(loaded.head.fields == fields([("A", "1"), ("content-LENGTH", expected), ("B", "2")]))
  }

  @Test func chunkTimesAreDroppedWhenThereAreTooMany() throws {
    let folder = try TemporaryDirectory()
    var original = exchange(
      body: [UInt8](repeating: 0x61, count: 5000), chunks: [Int](repeating: 1, count: 5000))
    original.volatile.chunkOffsetsMilliseconds = (0..<5000).map(Double.init)
    try record([original], into: folder("c"))
    let loaded = try #require(try Cassette.load(folder("c")).interactions.first).interaction
    #expect(loaded.response.chunkSizes == original.response.chunkSizes)
    #expect(loaded.volatile.chunkOffsetsMilliseconds == nil)
  }

  @Test(arguments: [
    ("[2, 2]", [2, 2, 2]), ("[100]", [6]), ("[[2, 1000000000000]]", [2, 2, 2]), ("[]", [6]),
    ("[1, [2, 2], 1]", [1, 2, 2, 1]),
  ])
  func chunksFollowAnEditedBody(chunks: String, expected: [Int]) throws {
    let folder = try TemporaryDirectory()
    try folder.write(
      "c/a.json",
      #"{"request":{"method":"GET","target":"/"},"response":{"status":200,"body":{"text":"abcdef"},"chunks":\#(chunks)}}"#
    )
    #expect(try Cassette.load(folder("c")).interactions.first?.interaction.response.chunkSizes == expected)
  }

  @Test func aHandWrittenFileMayBeShort() throws {
    let folder = try TemporaryDirectory()
    try folder.write(
      "c/any name.json",
      #"""
      {"_comment": "mine", "x-note": [1], "request": {"method": "GET", "target": "/a"},
       "response": {"status": 404, "headers": [["Content-Length", "99"], ["Content-Length", "1"]], "body": {"json": {"a": 1}}}}
      """#)
    let loaded = try #require(try Cassette.load(folder("c")).interactions.first)
    #expect(loaded.fileName == "any name.json")
    #expect(
      loaded.interaction.response.head
        == HTTPResponseHead(status: 404, fields: fields([("Content-Length", "7")])))
    #expect(loaded.interaction.response.body == .bytes(Array(#"{"a":1}"#.utf8)))
    #expect(try Cassette.load(folder("c")).upstream == nil)
  }
}

/// A length that the body tells anyway stands in no file, so that a changed body is not a changed header too.
@Suite struct LengthTests {
  private func file(_ interaction: Interaction) throws -> (text: String, loaded: Interaction) {
    let folder = try TemporaryDirectory()
    try record([interaction], into: folder("c"))
    let answer = try Cassette.load(folder("c")).interactions[0]
    return (try folder.text("c/\(answer.fileName)"), answer.interaction)
  }

  @Test func aLengthThatTheBodyTellsIsNull() throws {
    let sent = exchange(
      "POST", "/", headers: [("content-LENGTH", "2"), ("X", "1")], sends: [1, 2],
      answers: [("Content-Length", "6"), ("Content-Type", "text/plain")])
    let (text, loaded) = try file(sent)
    #expect(text.contains(#"["content-LENGTH", null]"#))
    #expect(text.contains(#"["Content-Length", null]"#))
    #expect(loaded.request.fields == sent.request.fields)
    #expect(loaded.response.head.fields == sent.response.head.fields)
  }

  @Test(arguments: [("HEAD", 200), ("GET", 304)]) func aLengthThatNoBodyTellsIsKept(
    method: String, status: Int
  ) throws {
    let (text, loaded) = try file(
      exchange(method, "/", status: status, answers: [("Content-Length", "6")], body: []))
    #expect(text.contains(#"["Content-Length", "6"]"#))
    #expect(loaded.response.head.fields.text("content-length") == "6")
  }

  @Test func aNullWithoutABodyIsRefused() throws {
    let folder = try TemporaryDirectory()
    try folder.write(
      "c/a.json",
      #"{"request": {"method": "HEAD", "target": "/"}, "response": {"status": 200, "headers": [["Content-Length", null]]}}"#
    )
    let error = try #require(throws: CassetteError.self) { try Cassette.load(folder("c")) }
    #expect(error.description.contains("a `Content-Length` of null needs a body to tell what it is"))
  }
}
