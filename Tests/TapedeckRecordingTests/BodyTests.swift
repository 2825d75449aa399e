import RecordingTestSupport
import TapedeckHTTP
import Testing

@testable import TapedeckRecording
@testable import TapedeckRedaction

@Suite struct BodyTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var type: String
    var body: [UInt8]
    var form: String

    init(_ name: String, _ type: String, _ body: [UInt8], as form: String) {
      (self.name, self.type, self.body, self.form) = (name, type, body, form)
    }

    init(_ name: String, _ type: String, _ body: String, as form: String) {
      self.init(name, type, Array(body.utf8), as: form)
    }

    var testDescription: String { name }
  }

  static let deepJSON =
    [UInt8](repeating: UInt8(ascii: "["), count: 501)
    + [UInt8](repeating: UInt8(ascii: "]"), count: 501)

  static let cases: [Case] = [
    Case("empty", "application/json", "", as: "none"),
    Case("compact", "application/json", #"{"a":1,"b":[true,null]}"#, as: "json"),
    Case("python", "application/json; charset=utf-8", #"{"a": 1, "b": [true, null]}"#, as: "json"),
    Case("flask", "application/json", "{\n  \"a\": 1, \n  \"b\": 2\n}\n", as: "text"),
    Case("pretty", "application/vnd.api+json", "{\n    \"a\": [],\n    \"b\": {}\n}\n", as: "json"),
    Case("tabs", "Application/JSON", "[\n\t1\n]", as: "json"),
    Case("duplicates", "application/json", #"{"a":1,"a":2}"#, as: "json"),
    Case("numbers", "application/json", "[1.0,1e400,-0,12345678901234567890.50]", as: "json"),
    Case("escapes", "application/json", #"{"\u0061\/":"\ud800 \u00e9 é"}"#, as: "json"),
    Case("scalar", "application/json", "null", as: "json"),
    Case("scalar with a line end", "text/json", "\"x\"\n", as: "json"),
    Case("mixed white space", "application/json", #"{"a":1, "b":2}"#, as: "text"),
    Case("invalid JSON", "application/json", "{a}", as: "text"),
    Case("deep JSON", "application/json", deepJSON, as: "text"),
    Case("JSON of another type", "text/plain", #"{"a":1}"#, as: "text"),
    Case("JSON with a byte order mark", "application/json", "\u{FEFF}{}", as: "text"),
    Case("CRLF", "text/plain", "a\r\nb\r\n\r\n", as: "text"),
    Case("no line end", "text/html", "a\n\nb", as: "text"),
    Case("only line ends", "text/plain", "\n\n\n", as: "text"),
    Case("bare CR", "text/plain", "a\rb\tc", as: "text"),
    Case("separators of Unicode", "text/plain", "a\u{2028}b\u{85}c\n", as: "text"),
    Case("NUL", "text/plain", "a\u{0}b", as: "base64"),
    Case("escape", "text/plain", "\u{1B}[1m", as: "base64"),
    Case("short binary", "image/png", (0...255).map { UInt8($0) }, as: "base64"),
    Case("1 byte", "x/y", [0xFF], as: "base64"), Case("2 bytes", "x/y", [0xFF, 0], as: "base64"),
    Case("1 KiB", "x/y", [UInt8](repeating: 0xFE, count: 1024), as: "base64"),
    Case("over 1 KiB", "x/y", [UInt8](repeating: 0xFE, count: 1025), as: "file"),
    Case("256 KiB of text", "text/plain", [UInt8](repeating: 0x61, count: 262_144), as: "text"),
    Case("more text", "text/plain", [UInt8](repeating: 0x61, count: 262_145), as: "file"),
    Case(
      "more JSON", "application/json", [0x22] + [UInt8](repeating: 0x61, count: 262_143) + [0x22], as: "file"),
    Case("1 MiB", "x/y", [UInt8](repeating: 0x61, count: 1_048_576), as: "file"),
    Case("2 MiB", "x/y", (0..<2_097_152).map { UInt8(truncatingIfNeeded: $0 &* 7) }, as: "file"),
  ]

  @Test(arguments: cases) func bodiesComeBackAsTheyWere(_ test: Case) throws {
    let folder = try TemporaryDirectory()
    let types = [("Content-Type", test.type)]
    let original = exchange("PUT", "/b", headers: types, sends: test.body, answers: types, body: test.body)
    try record([original], into: folder("c"))
    let name = try #require(try folder.names(of: "c").first { $0.hasPrefix("put-b-") })
    let tree = try JSONValue(parsing: try folder.read("c/\(name)"))
    for side in ["request", "response"] {
      #expect(tree[side]?["body"]?.members?.first?.name.text ?? "none" == test.form)
    }
    #expect(folder.exists("c/bodies") == (test.form == "file"))
    var loaded = try #require(try Cassette.load(folder("c")).interactions.first).interaction
    #expect(try bytes(loaded.response.body) == test.body)
    if let large = loaded.largeRequestBody {
      loaded.request.body = try bytes(.file(large))
      loaded.largeRequestBody = nil
    }
    #expect(loaded.request.body == test.body)
    #expect(try record([loaded], into: folder("c"), replacing: true).unchanged == 1)
  }

  private func bytes(_ body: RecordedBody) throws -> [UInt8] {
    switch body {
    case .bytes(let bytes): return bytes
    case .file(let file):
      #expect(file.size > 1_048_576)
      let reader = try file.open()
      var all: [UInt8] = []
      while all.count < file.size { all += try reader.bytes(at: all.count, count: 100_000) }
      #expect(try reader.bytes(at: file.size, count: 1).isEmpty)
      return all
    }
  }

  @Test(arguments: [[], [5], [1_048_576], [1_048_576, 1], [600_000, 600_000, 600_000], [3_000_000]])
  func aSpoolHoldsBodiesOfAnySize(pieces: [Int]) throws {
    let folder = try TemporaryDirectory()
    let recorder = try CassetteRecorder.open(testing: folder("c"))
    let spool = recorder.makeSpool()
    var whole: [UInt8] = []
    for (index, count) in pieces.enumerated() {
      let piece = [UInt8](repeating: UInt8(index) &+ 65, count: count)
      whole += piece
      try piece.withRawBytes { try spool.append($0) }
    }
    #expect(spool.count == whole.count)
    var original = exchange("GET", "/large")
    original.response.body = try spool.finish()
    try recorder.record(original)
    _ = try recorder.seal()
    let loaded = try #require(try Cassette.load(folder("c")).interactions.first).interaction
    #expect(try bytes(loaded.response.body) == whole)
  }

  @Test func aDiscardedSpoolLeavesNothing() throws {
    let folder = try TemporaryDirectory()
    let recorder = try CassetteRecorder.open(testing: folder("c"))
    let spool = recorder.makeSpool()
    try [UInt8](repeating: 1, count: 2_000_000).withRawBytes { try spool.append($0) }
    #expect(try folder.names(of: "c/bodies").count == 1)
    spool.discard()
    #expect(try folder.names(of: "c/bodies").isEmpty)
    _ = try recorder.seal()
    #expect(!folder.exists("c"))
  }

  @Test func base64() {
    for count in 0..<70 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }
      #expect(Base64.decode(Array(Base64.encode(bytes).utf8)) == bytes)
    }
    #expect(Base64.encode(Array("fooba".utf8)) == "Zm9vYmE=")
    for text in [
      "A", "AA", "AAA", "AA=A", "A===", "AB==", "AAB=", "AA==AA==", "AA\n=", "====", "AAA_", "Zg==\n",
    ] {
      #expect(Base64.decode(Array(text.utf8)) == nil, "\(text)")
    }
  }

  private func written(_ microseconds: Int) -> String {
    Timestamp.withBytes(microseconds: microseconds) { String(decoding: $0, as: UTF8.self) }
  }

  @Test(arguments: [
    (0, "1970-01-01T00:00:00.000Z"), (1_795_225_953_123, "2026-11-21T01:52:33.123Z"),
    (-1, "1969-12-31T23:59:59.999Z"),
    (951_782_400_000, "2000-02-29T00:00:00.000Z"), (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
  ])
  func timestamps(milliseconds: Int, text: String) {
    #expect(Timestamp.text(milliseconds: milliseconds) == text)
    #expect(written(milliseconds * 1000) == text)
    #expect(Timestamp.microseconds(text) == milliseconds * 1000)
  }

  @Test(arguments: [
    (1_795_225_953_123_456, "2026-11-21T01:52:33.123456Z"), (-1, "1969-12-31T23:59:59.999999Z"),
    (1001, "1970-01-01T00:00:00.001001Z"),
  ])
  func timestampsToTheMicrosecond(microseconds: Int, text: String) {
    #expect(written(microseconds) == text)
    #expect(Timestamp.microseconds(text) == microseconds)
  }

  @Test(arguments: [
    "", "2026-02-29T00:00:00.000Z", "2026-13-01T00:00:00.000Z", "2026-11-21T24:00:00.000Z",
    "2026-11-21 01:52:33.123Z",
    "2026-11-21T01:52:33Z", "2026-11-21T01:52:33.12345Z", "2026-11-21T01:52:33.1234567Z",
    "2026-11-21T01:52:33.123z", "éé26-11-21T01:52:33.12Z",
  ])
  func refusesOtherTimes(text: String) { #expect(Timestamp.microseconds(text) == nil) }
}
