import RecordingTestSupport
import TapedeckHTTP
import Testing

@testable import TapedeckRecording
@testable import TapedeckRedaction

/// Secrets that one exchange gives away and another holds without a name.
@Suite struct SecretLinkTests {
  private static let session = "a3f9c2d18b7e4f60"

  private static let login = exchange(
    "POST", "/session", headers: [("Content-Type", "application/json")],
    sends: Array(#"{"browser":"x"}"#.utf8),
    answers: [("Content-Type", "application/json")],
    body: Array(#"{"value":{"sessionId":"\#(session)"}}"#.utf8))
  private static func page(_ id: String) -> Interaction {
    exchange("GET", "/session/\(id)/url", body: Array("page of \(id)".utf8))
  }

  @Test func aSessionsIdIsHiddenInTheRequestsThatFollow() throws {
    let folder = try TemporaryDirectory()
    try record([Self.login, Self.page(Self.session)], into: folder("c"))
    for (name, bytes) in try folder.contents(of: "c") {
      #expect(ByteSearch.first(Array(Self.session.utf8), in: bytes[...]) == nil, "\(name)")
    }
    let cassette = try Cassette.load(folder("c"))
    guard
      case .bytes(let body)? = cassette.sequence(for: Self.login.request)?.interactions.first?.interaction
        .response
        .body
    else { return }
    let given = try #require(try JSONValue(parsing: body)["value"]?["sessionId"]?.text)
    #expect(given.hasPrefix("REDACTED:secret:"))
    // A client has only the placeholder to send, and may percent-encode it.
    #expect(cassette.sequence(for: HTTPRequest(.get, "/session/\(given)/url")) != nil)
    let encoded = String(decoding: DecodedText.percentEncoded(Array(given.utf8)), as: UTF8.self)
    #expect(
      cassette.sequence(for: HTTPRequest(.get, "/session/\(encoded.replacing(":", with: "%3A"))/url")) != nil)
  }

  @Test func aClientThatKnowsTheSecretIsUnderstoodToo() throws {
    let folder = try TemporaryDirectory()
    try record([Self.login, Self.page(Self.session)], into: folder("c"))
    let cassette = try Cassette.load(folder("c"))
    let request = Self.page(Self.session).request
    #expect(cassette.sequence(for: request) == nil, "nothing in the request gives it away")
    #expect(cassette.linkedSequence(for: request) != nil)
    #expect(cassette.linkedSequence(for: Self.page("b3f9c2d18b7e4f60").request) == nil)
    #expect(cassette.linkedSequence(for: HTTPRequest(.get, "/")) == nil)
  }

  @Test func linksReachIntoBodiesAndQueries() throws {
    let folder = try TemporaryDirectory()
    func use(_ id: String) -> Interaction {
      exchange(
        "POST", "/use?about=\(id)", headers: [("Content-Type", "application/json")],
        sends: Array(#"{"about":"\#(id)","list":["x-\#(id)"]}"#.utf8))
    }
    try record([Self.login, use(Self.session)], into: folder("c"))
    let cassette = try Cassette.load(folder("c"))
    #expect(cassette.linkedSequence(for: use(Self.session).request) != nil)
  }

  @Test func memoryFindsEveryForm() {
    let memory = SecretMemory()
    var known = KnownSecrets()
    known.add(Array("q1w2/e3r4+t5y6u7".utf8), Array("REDACTED:secret:01234567".utf8))
    memory.add(known)
    for text in [
      "q1w2/e3r4+t5y6u7", "x=q1w2%2Fe3r4%2Bt5y6u7&y", "713177322f653372342b743579367537",
      "cTF3Mi9lM3I0K3Q1eTZ1Nw==",
    ] {
      #expect(!memory.copies(in: Array("a \(text) b".utf8)[...]).isEmpty, "\(text)")
    }
    for text in ["q1w2/e3r4+t5y6u8", "t5y6u7", "e3r4 t5y6u7", ""] {
      #expect(memory.copies(in: Array(text.utf8)[...]).isEmpty, "\(text)")
    }
  }
}

/// Texts that are too long to hold.
@Suite struct LongTextRedactionTests {
  private static let secret = "Zx9-kQ4vTn7bLw2m"

  private func redacted(_ text: [UInt8], pieces: Int) throws -> (out: [UInt8], finds: Finds) {
    let redaction = Redaction(upstream: nil)
    let long = LongTextRedaction(SecretSearch(try #require(redaction.policy)))
    var out: [UInt8] = []
    var start = 0
    while start < text.count {
      let end = min(start + pieces, text.count)
      out += Array(text[start..<end]).withUnsafeBytes { long.append($0) }
      start = end
    }
    return (out + long.finish(), long.finds)
  }

  @Test(arguments: [1 << 20, 65_536, 300_007])
  func hidesWhereverAWindowEnds(_ pieces: Int) throws {
    var text: [UInt8] = []
    var generator = SeededLines(seed: 7)
    while text.count < 5 << 20 {
      text += generator.line()
      text += #"{"id": 12, "password": "\#(Self.secret)", "n": "x"}"#.utf8
      text += "\n".utf8
    }
    let whole = try #require(Redaction(upstream: nil).policy)
    let expected = SecretSearch(whole).text(text[...], depth: 0).applied(to: text[...])
    let (out, finds) = try redacted(text, pieces: pieces)
    #expect(out == expected)
    #expect(ByteSearch.first(Array(Self.secret.utf8), in: out[...]) == nil)
    let sizes = finds.mappedSizes([text.count / 3, text.count / 3, text.count - 2 * (text.count / 3)])
    #expect(sizes.reduce(0, +) == out.count)
  }

  @Test func aWindowWithoutAPlaceToCutIsCutAnyway() throws {
    let text = [UInt8](repeating: UInt8(ascii: "a"), count: 3 << 20)
    #expect(try redacted(text, pieces: 100_000).out == text)
  }

  @Test func recordsALongTextWithoutItsSecrets() throws {
    let folder = try TemporaryDirectory()
    let recorder = try CassetteRecorder.open(testing: folder("c"))
    let answers = [("Content-Type", "application/json"), ("Content-Length", "1")]
    let spool = recorder.makeSpool(fields: fields(answers))
    let piece = Array(#"{"id": 12, "note": "nothing", "api_key": "\#(Self.secret)"}, "#.utf8)
    let pieces = (5 << 20) / piece.count
    for _ in 0..<pieces { try piece.withRawBytes { bytes throws(CassetteError) in try spool.append(bytes) } }
    var interaction = exchange(answers: answers)
    interaction.response.body = try spool.finish()
    #expect(spool.mapped(chunkSizes: [pieces * piece.count]) == [interaction.response.body.count])
    try recorder.record(interaction)
    #expect(recorder.hiddenCount == pieces)
    _ = try recorder.seal()
    for (name, bytes) in try folder.contents(of: "c") {
      #expect(ByteSearch.first(Array(Self.secret.utf8), in: bytes[...]) == nil, "\(name)")
    }
    #expect(
      try Cassette.load(folder("c")).interactions.first?.interaction.response.body.count
        == interaction.response.body.count)
  }
}

/// Lines of letters, the same for the same seed.
private struct SeededLines {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func line() -> [UInt8] {
    (0..<Int(next() % 200)).map { _ in UInt8(0x61 + next() % 26) } + Array(" and more\n".utf8)
  }

  private mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state >> 33
  }
}
