import RecordingTestSupport
import TapedeckHTTP
import Testing

@testable import TapedeckRecording
@testable import TapedeckRedaction

@Suite struct NearMissTests {
  private static let json = [("Content-Type", "application/json")]
  private static let form = [("Content-Type", "application/x-www-form-urlencoded")]

  private static func sent(
    _ method: String, _ target: String, _ type: [(String, String)] = [], _ body: String = ""
  ) -> Interaction {
    exchange(method, target, headers: type, sends: Array(body.utf8))
  }

  private func misses(_ recorded: [Interaction], _ request: Interaction, limit: Int = 3) throws -> [NearMiss]
  {
    let folder = try TemporaryDirectory()
    try record(recorded, into: folder("c"))
    let cassette = try Cassette.load(folder("c"))
    #expect(cassette.sequence(for: request.request) == nil)
    return cassette.nearest(to: request.request, limit: limit)
  }

  private func differences(_ recorded: Interaction, _ request: Interaction) throws -> [String] {
    try misses([recorded], request).first?.differences.map(\.description) ?? []
  }

  @Test func takesASecretForOneThatOthersDoNotHave() throws {
    let login = Self.sent("POST", "/login", Self.form, "user=ada&password=REDACTED:secret:ba0017b1")
    func looksVolatile(_ body: String) throws -> [Bool]? {
      try misses([login], Self.sent("POST", "/login", Self.form, body)).first?.differences.map(
        \.looksVolatile)
    }
    #expect(try looksVolatile("user=ada&password=none") == [true])
    #expect(try looksVolatile("user=bob&password=none") == [true, false])
    #expect(try looksVolatile("user=ada") == [false])
  }

  @Test func listsWhatDiffers() throws {
    #expect(
      try differences(Self.sent("GET", "/a?x=1&y=2"), Self.sent("POST", "/b?x=3&z=4&z=5")) == [
        "method: GET → POST", "path: /a → /b", #"query "x": "1" → "3""#, #"query "y": "2" → (absent)"#,
        #"query "z": (absent) → "4", "5""#,
      ])
    #expect(
      try differences(
        Self.sent("POST", "/a", Self.form, "q=1&r=2"), Self.sent("POST", "/a", Self.form, "q=%31&r=3")) == [
          #"form "r": "2" → "3""#
        ])
    #expect(
      try differences(
        Self.sent("POST", "/a", [], "hello world"), Self.sent("POST", "/a", [], "hello there\u{1}")) == [
          #"body: "hello world" → "hello there\u{1}""#
        ])
    #expect(
      try differences(Self.sent("POST", "/a", [], "x"), Self.sent("POST", "/a")) == [
        "body: 1 bytes → (absent)"
      ])
  }

  @Test func listsJSONByPath() throws {
    #expect(
      try differences(
        Self.sent(
          "POST", "/a", Self.json, #"{"user":{"name":"a","id":1},"items":[1,2],"a b":true,"same":[{}]}"#),
        Self.sent(
          "POST", "/a", Self.json, #"{"same":[{}],"user":{"id":1.0,"name":"b"},"items":[1,3,4],"a b":null}"#))
        == [
          #"$["a b"]: true → null"#, "$.items[1]: 2 → 3", "$.items[2]: (absent) → 4", "$.user.id: 1 → 1.0",
          #"$.user.name: "a" → "b""#,
        ])
  }

  @Test func listsPartsOfMultipart() throws {
    func multipart(_ boundary: String, _ content: String) -> Interaction {
      Self.sent(
        "POST", "/a", [("Content-Type", "multipart/form-data; boundary=\(boundary)")],
        "--\(boundary)\r\n\r\nsame\r\n--\(boundary)\r\n\r\n\(content)\r\n--\(boundary)--\r\n")
    }
    #expect(try differences(multipart("x", "1"), multipart("y", "2")) == [#"part 2: "1" → "2""#])
  }

  @Test func ranksSensibly() throws {
    let recorded = [
      Self.sent("GET", "/users/1"), Self.sent("GET", "/users/2?page=1"), Self.sent("DELETE", "/users/2"),
      Self.sent("GET", "/other/place"), Self.sent("POST", "/users/2", Self.json, #"{"a":1}"#),
    ]
    let request = Self.sent("GET", "/users/2?page=2")
    let found = try misses(recorded, request)
    #expect(
      found.map(\.interaction.interaction.request.targetText) == ["/users/2?page=1", "/users/2", "/users/1"])
    #expect(found.map(\.distance) == found.map(\.distance).sorted())
    #expect(try misses(recorded, request, limit: 10).count == 5)
    #expect(try misses(recorded, request, limit: 1).count == 1)
  }

  @Test func segmentsThatBeginAlikeAreNearer() throws {
    let recorded = ["/items/1", "/items/77", "/items/9"].map { Self.sent("GET", $0) }
    let found = try misses(recorded, Self.sent("GET", "/items/77x"), limit: 1)
    #expect(found.first?.interaction.interaction.request.targetText == "/items/77")
  }

  @Test func theBodyDecidesAmongMany() throws {
    let recorded = (0..<100).map { Self.sent("POST", "/a", Self.json, #"{"id":\#($0),"x":1,"y":2}"#) }
    let found = try misses(recorded, Self.sent("POST", "/a", Self.json, #"{"id":7,"x":1,"y":3}"#), limit: 1)
    #expect(found.map { $0.differences.map(\.description) } == [["$.y: 2 → 3"]])
  }

  @Test func longValuesAreCut() throws {
    let long = String(repeating: "x", count: 500)
    let lines = try differences(Self.sent("GET", "/a?q=1"), Self.sent("GET", "/a?q=\(long)"))
    #expect(lines.count == 1 && lines[0].utf8.count < 120 && lines[0].hasSuffix("…\""))
  }
}
