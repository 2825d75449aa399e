import RecordingTestSupport
import TapedeckHTTP
import Testing

@testable import TapedeckRecording
@testable import TapedeckRedaction

/// Where rules are kept, and what becomes of a cassette when they change.
@Suite struct RulesOfCassettesTests {
  private static func post(_ nonce: Int, _ name: String = "x", at time: Int = 0) -> Interaction {
    var interaction = exchange(
      "POST", "/a", headers: [("Content-Type", "application/json")],
      sends: Array(#"{"nonce":\#(nonce),"name":"\#(name)"}"#.utf8), body: Array("\(nonce)".utf8))
    interaction.volatile.recordedAtMicroseconds = 1_795_225_953_123_456 + time
    return interaction
  }

  private func spec(_ text: String) throws -> MatchSpec { try MatchSpec([text]) }

  @discardableResult
  private func record(
    _ interactions: [Interaction], into path: String, _ match: String? = nil, replacing: Bool = false
  ) throws -> CassetteRecorder {
    let recorder = try CassetteRecorder.open(
      path, origins: .one("http://origin.test"), replacing: replacing, match: try match.map(spec),
      isDurable: false
    )
    for interaction in interactions {
      try recorder.record(interaction, arrival: recorder.nextArrival())
    }
    _ = try recorder.seal()
    return recorder
  }

  @Test func aCassetteKeepsItsRulesAndReplayNeedsNone() throws {
    let folder = try TemporaryDirectory()
    try record([Self.post(1), Self.post(2)], into: folder("c"), "body:ignore=$.nonce")
    #expect(
      try folder.text("c/cassette.json").contains(
        #""match": ["method", "path", "query", "body", "body:ignore=$.nonce"]"#))
    let cassette = try Cassette.load(folder("c"))
    #expect(cassette.matcher.rules == cassette.recordedRules)
    let sequence = try #require(cassette.sequence(for: Self.post(7).request))
    #expect(sequence.interactions.map { $0.interaction.response.body } == [.bytes([0x31]), .bytes([0x32])])
    #expect(cassette.interactions.map(\.fileName).filter { $0.hasSuffix(".2.json") }.count == 1)
    let again = try record([Self.post(3)], into: folder("c"))
    #expect(again.replacedRules == nil)
    #expect(try Cassette.load(folder("c")).sequence(for: Self.post(7).request)?.interactions.count == 3)
  }

  @Test func defaultRulesAreWrittenAsTheyAlwaysWere() throws {
    let folder = try TemporaryDirectory()
    try record([Self.post(1)], into: folder("c"))
    #expect(try folder.text("c/cassette.json").contains(#""match": ["method", "path", "query", "body"]"#))
  }

  @Test func rulesOfAReplayHoldForThatReplay() throws {
    let folder = try TemporaryDirectory()
    try record([Self.post(1, at: 9), Self.post(2, at: 5), Self.post(3, at: 7)], into: folder("c"))
    let before = try folder.text("c/cassette.json")
    #expect(try Cassette.load(folder("c")).sequence(for: Self.post(7).request) == nil)
    let cassette = try Cassette.load(folder("c"), match: spec("body:ignore=$.nonce"))
    #expect(cassette.recordedRules == MatchRules())
    let sequence = try #require(cassette.sequence(for: Self.post(7).request))
    #expect(
      sequence.interactions.map { $0.interaction.response.body } == [
        .bytes([0x32]), .bytes([0x33]), .bytes([0x31]),
      ],
      "what has become one request is answered in the order it was recorded in")
    #expect(try folder.text("c/cassette.json") == before)
  }

  @Test func recordingWithOtherRulesChangesThoseOfTheCassetteAndKeepsItsFiles() throws {
    let folder = try TemporaryDirectory()
    try record([Self.post(1), Self.post(2, "y")], into: folder("c"))
    let before = Set(try Cassette.load(folder("c")).interactions.map(\.fileName))
    let recorder = try record([Self.post(3)], into: folder("c"), "body:ignore=$.nonce")
    #expect(recorder.replacedRules == MatchRules())
    let cassette = try Cassette.load(folder("c"))
    #expect(cassette.matcher.rules.items.contains("body:ignore=$.nonce"))
    #expect(before.isSubset(of: cassette.interactions.map(\.fileName)))
    #expect(cassette.sequence(for: Self.post(9).request)?.interactions.count == 2)
    #expect(cassette.sequence(for: Self.post(9, "y").request)?.interactions.count == 1)
  }

  @Test func recordingNothingChangesNoRules() throws {
    let folder = try TemporaryDirectory()
    try record([Self.post(1)], into: folder("c"))
    let before = try folder.text("c/cassette.json")
    try record([], into: folder("c"), "method,path")
    #expect(try folder.text("c/cassette.json") == before)
  }

  @Test func replacingByCoarserRulesReplacesAllThatHasBecomeOne() throws {
    let folder = try TemporaryDirectory()
    try record([Self.post(1), Self.post(2), Self.post(3, "y")], into: folder("c"))
    try record([Self.post(4)], into: folder("c"), "body:ignore=$.nonce", replacing: true)
    let cassette = try Cassette.load(folder("c"))
    #expect(cassette.count == 2)
    #expect(
      cassette.sequence(for: Self.post(0).request)?.interactions.map { $0.interaction.response.body } == [
        .bytes([0x34])
      ])
  }

  /// A journal that a crash left is sealed, and read, by the rules it was written under.
  @Test func aJournalKeepsItsRules() throws {
    let folder = try TemporaryDirectory()
    try record([Self.post(1)], into: folder("c"))
    var recorder: CassetteRecorder? = try CassetteRecorder.open(
      folder("c"), origins: .one(nil), replacing: false, match: spec("body:ignore=$.nonce"), isDurable: false)
    let sent = Self.post(2)
    try recorder?.record(sent, arrival: 0)
    let read = try Cassette.load(folder("c"))
    #expect(read.sequence(for: Self.post(9).request)?.interactions.count == 2)
    recorder = nil
    let recovering = try CassetteRecorder.open(
      folder("c"), origins: .one(nil), replacing: false, isDurable: false)
    #expect(recovering.recoveredCount == 1)
    #expect(recovering.matcher.rules.items.contains("body:ignore=$.nonce"))
    _ = try recovering.seal()
    #expect(try Cassette.load(folder("c")).sequence(for: Self.post(9).request)?.interactions.count == 2)
  }

  @Test func theHostIsKeptWhereItIsCompared() throws {
    let folder = try TemporaryDirectory()
    var sent = exchange("GET", "/a", headers: [("Host", "origin.test")])
    sent.request.authority = Array("Tenant.localhost:8080".utf8)
    try record([sent], into: folder("c"), "host")
    let cassette = try Cassette.load(folder("c"))
    #expect(cassette.sequence(for: sent.request) != nil)
    #expect(
      try folder.text("c/\(cassette.interactions[0].fileName)").contains(#""host": "tenant.localhost""#))
    sent.request.authority = Array("other.localhost:8080".utf8)
    #expect(cassette.sequence(for: sent.request) == nil)
  }

  @Test(arguments: [
    (#"["method", "paht"]"#, #"cassette.json: match: "paht" is no part of a request"#),
    (#"[1]"#, "cassette.json: match[0]: a string is expected here"),
    (#""path""#, "match: an array is expected here"),
    (#"["body:bytes", "body:ignore=$.a"]"#, "match: body:ignore=$.a and body:bytes do not go together"),
  ])
  func rulesThatMakeNoSenseAreRefused(match: String, says: String) throws {
    let folder = try TemporaryDirectory()
    try record([Self.post(1)], into: folder("c"))
    try folder.write("c/cassette.json", #"{"tapedeck": 1, "match": \#(match)}"#)
    let error = try #require(throws: CassetteError.self) { try Cassette.load(folder("c")) }
    #expect(error.description.contains(says), "\(error)")
  }

  @Test func aSpecThatContradictsTheCassetteIsRefused() throws {
    let folder = try TemporaryDirectory()
    try record([Self.post(1)], into: folder("c"), "body:bytes")
    let error = try #require(throws: CassetteError.self) {
      try Cassette.load(folder("c"), match: spec("body:ignore=$.a"))
    }
    #expect(error.description.contains("--match: body:ignore=$.a and body:bytes do not go together"))
  }
}
