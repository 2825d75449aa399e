import RecordingTestSupport
import TapedeckHTTP
import Testing

@testable import TapedeckFormats
@testable import TapedeckMaintenance
@testable import TapedeckRecording
@testable import TapedeckRedaction

/// What becomes of secrets that redaction has missed, when a recording is sealed, left behind and fixed.
@Suite struct SealScanTests {
  private static let random = "a8Kz0Q3mP7xV2bN5cR9t"
  private static let json = [("Content-Type", "application/json")]

  private static func dirty(_ target: String = "/login", _ secret: String = random) -> Interaction {
    exchange("GET", target, answers: json, body: Array("{\"loginpwd\":\"\(secret)\"}".utf8))
  }

  private func open(
    _ path: String, _ secrets: SecretPolicy, _ choice: RedactionChoice = RedactionChoice()
  ) throws -> CassetteRecorder {
    try CassetteRecorder.open(
      path, origins: .one("http://origin.test"), replacing: false, redaction: choice, secrets: secrets,
      isDurable: false)
  }

  private func refused(_ act: () throws -> Void) -> [SecretFind]? {
    do { try act() } catch {
      if let error = error as? CassetteError, case .secretsFound(_, let finds, _) = error { return finds }
    }
    return nil
  }

  private func refuse(_ folder: TemporaryDirectory, _ interactions: [Interaction] = [dirty()]) throws {
    let recorder = try open(folder("c"), .refuse)
    for interaction in interactions { try recorder.recordMissed(interaction) }
    let finds = try #require(refused { _ = try recorder.seal() })
    #expect(!finds.isEmpty)
  }

  private func holds(_ folder: TemporaryDirectory, _ secret: String = random) throws -> Bool {
    try folder.contents(of: "c").values.contains { ByteSearch.first(Array(secret.utf8), in: $0[...]) != nil }
  }

  @Test func findsAreToldAndSealed() throws {
    let folder = try TemporaryDirectory()
    let recorder = try open(folder("c"), .tell)
    try recorder.recordMissed(Self.dirty())
    let report = try recorder.seal()
    #expect(report.finds.map(\.place) == ["response.body $.loginpwd"])
    #expect(try report.finds.map(\.file) == folder.names(of: "c").filter { $0.hasPrefix("get-") })
    #expect(report.written == 1)
  }

  @Test func refusingLeavesTheFilesAndTheJournal() throws {
    let folder = try TemporaryDirectory()
    try record([exchange("GET", "/clean")], into: folder("c"))
    let before = try folder.contents(of: "c")
    try refuse(folder, [exchange("GET", "/other"), Self.dirty(), exchange("GET", "/third")])
    var after = try folder.contents(of: "c")
    #expect(after.removeValue(forKey: CassetteNames.journal) != nil)
    #expect(after == before)
    #expect(try Cassette.load(folder("c")).count == 4, "nothing that was recorded is lost")
  }

  @Test func whatIsCleanIsSealedThoughSecretsAreRefused() throws {
    let folder = try TemporaryDirectory()
    let recorder = try open(folder("c"), .refuse)
    try recorder.record(exchange("GET", "/clean"))
    #expect(try recorder.seal().written == 1)
    #expect(!folder.exists("c/journal.jsonl"))
  }

  @Test(arguments: [SecretPolicy.tell, .refuse]) func aRefusedJournalIsRefusedByEveryLaterStart(
    policy: SecretPolicy
  ) throws {
    let folder = try TemporaryDirectory()
    try refuse(folder)
    let before = try folder.contents(of: "c")
    let finds = refused { _ = try open(folder("c"), policy) }
    #expect(finds?.count == 1)
    #expect(try folder.contents(of: "c") == before)
  }

  @Test func aJournalThatWasNotStrictIsSealedAndTold() throws {
    let folder = try TemporaryDirectory()
    try folder.write("c/journal.jsonl", try leftOver(folder))
    let recorder = try open(folder("c"), .tell)
    #expect(recorder.recoveredCount == 1 && recorder.recoveredFinds.count == 1)
    #expect(recorder.warnings.contains { $0.contains("--fix") && !$0.contains(Self.random) })
    _ = try recorder.seal()
  }

  @Test func aStrictStartRefusesWhatALaxOneLeft() throws {
    let folder = try TemporaryDirectory()
    try folder.write("c/journal.jsonl", try leftOver(folder))
    #expect(refused { _ = try open(folder("c"), .refuse) }?.count == 1)
  }

  /// What a crash leaves of a recording that refuses nothing.
  private func leftOver(_ folder: TemporaryDirectory) throws -> [UInt8] {
    let recorder = try CassetteRecorder.open(testing: folder("left"))
    try recorder.recordMissed(Self.dirty())
    defer { _ = try? recorder.seal() }
    return try folder.read("left/journal.jsonl")
  }

  @Test(arguments: [(["loginpwd"], []), ([], ["loginpwd"])] as [([String], [String])])
  func rulesOfALaterStartHoldForWhatWasLeft(redact: [String], keep: [String]) throws {
    let folder = try TemporaryDirectory()
    try refuse(folder)
    let choice = RedactionChoice(redact: try redact.map { try RedactionPattern($0) }, keep: keep)
    let recorder = try open(folder("c"), .refuse, choice)
    #expect(recorder.recoveredCount == 1)
    _ = try recorder.seal()
    #expect(try holds(folder) == redact.isEmpty)
    let rules = try #require(try Cassette.load(folder("c")).matcher.redaction.rules)
    #expect(rules.redact.map(\.text) == redact && rules.keep == keep)
  }

  @Test func discardingLeavesNothing() throws {
    let folder = try TemporaryDirectory()
    let recorder = try open(folder("c"), .refuse)
    try recorder.recordMissed(Self.dirty())
    #expect(refused { _ = try recorder.seal() } != nil)
    recorder.discard()
    #expect(!folder.exists("c"))
  }

  @Test func oldJournalsSayNothingAboutRefusing() throws {
    let header = JournalHeader(pid: 1, isReplacing: true, origins: .one(nil))
    #expect(!String(decoding: header.line, as: UTF8.self).contains("refuses"))
    #expect(try JournalHeader(header.line.dropLast(), file: "j")?.refusesSecrets == false)
    let strict = JournalHeader(pid: 1, isReplacing: true, origins: .one(nil), refusesSecrets: true)
    #expect(try JournalHeader(strict.line.dropLast(), file: "j")?.refusesSecrets == true)
  }

  // MARK: Fixing

  @Test func whatIsHiddenLateStillMatches() throws {
    let folder = try TemporaryDirectory()
    let used = exchange("GET", "/things/\(Self.random)/all")
    let recorder = try CassetteRecorder.open(testing: folder("c"))
    for interaction in [used, Self.dirty(), exchange("GET", "/clean")] {
      try recorder.recordMissed(interaction)
    }
    _ = try recorder.seal()
    let cleaning = try CassetteCleaning(folder("c"), RedactionChoice())
    #expect(cleaning.remaining == [] && cleaning.unmatched == [])
    #expect(cleaning.changedFiles.count == 2 && cleaning.renamed.count == 1)
    #expect(try !holds(folder))
    #expect(try !folder.names(of: "c").contains { $0.contains(Self.random.lowercased()) })
    let cassette = try Cassette.load(folder("c"))
    #expect(cassette.linkedSequence(for: used.request) != nil, "a client that knows the value")
    let placeholder = try #require(cassette.matcher.redaction.policy).digits(of: Array(Self.random.utf8))
    let given = "/things/REDACTED:secret:\(String(decoding: placeholder, as: UTF8.self))/all"
    #expect(
      cassette.sequence(for: exchange("GET", given).request) != nil, "a client that was given the placeholder"
    )
    let facts = try folder.contents(of: "c")
    let again = try CassetteCleaning(folder("c"), RedactionChoice())
    #expect(again.changedFiles == [] && again.hiddenCount == 0)
    #expect(try folder.contents(of: "c") == facts)
  }

  @Test func fixingHidesWhatARefusedJournalHolds() throws {
    let folder = try TemporaryDirectory()
    try refuse(folder)
    let cleaning = try CassetteCleaning(folder("c"), RedactionChoice())
    #expect(cleaning.recoveredCount == 1 && cleaning.recoveredHiddenCount == 1 && cleaning.remaining == [])
    #expect(try !holds(folder))
  }

  @Test func whatCannotBeHiddenInARefusedJournalStaysRefused() throws {
    let folder = try TemporaryDirectory()
    let blob: [UInt8] = [0, 1, 2] + Array("password='\(Self.random)'".utf8) + [0xFF]
    try refuse(folder, [exchange("GET", "/blob", answers: [], body: blob)])
    let before = try folder.contents(of: "c")
    #expect(refused { _ = try CassetteCleaning(folder("c"), RedactionChoice()) }?.count == 1)
    #expect(try folder.contents(of: "c") == before)
  }

  @Test func longBodiesAreRewritten() throws {
    let folder = try TemporaryDirectory()
    let filler = String(repeating: "0123456789 abcdef\n", count: 300_000)
    let body = Array("\(filler)loginpwd=\(Self.random)\n\(filler)".utf8)
    let recorder = try open(folder("c"), .tell, RedactionChoice(isOff: true))
    let spool = recorder.makeSpool(fields: fields([("Content-Type", "text/plain")]))
    try body.withUnsafeBytes { try spool.append($0) }
    var interaction = exchange(
      "GET", "/long", answers: [("Content-Type", "text/plain"), ("Content-Length", "\(body.count)")])
    interaction.response.body = try spool.finish()
    try recorder.record(interaction)
    _ = try recorder.seal()
    let scan = CassetteScan(
      try CassetteDirectory(opening: folder("c")), keep: [], until: { false }, onFile: { _ in })
    #expect(scan.unit.finds.map(\.place) == ["response.body"])
    let cleaning = try CassetteCleaning(folder("c"), RedactionChoice())
    #expect(cleaning.remaining == [] && cleaning.changedFiles.count == 1)
    #expect(try folder.names(of: "c/bodies").count == 1)
    #expect(try !holds(folder))
    #expect(
      try Cassette.load(folder("c")).interactions.first?.interaction.response.body.count == body.count + 4)
  }

  // MARK: From before there was redaction

  private func old(_ folder: TemporaryDirectory) throws -> Interaction {
    let interaction = exchange(
      "POST", "/a?access_token=\(Self.random)", headers: Self.json,
      sends: Array("{\"password\":\"hunter2\"}".utf8))
    let recorder = try open(folder("c"), .tell, RedactionChoice(isOff: true))
    try recorder.record(interaction)
    _ = try recorder.seal()
    try folder.write(
      "c/cassette.json",
      #"{"tapedeck": 1, "upstream": "http://origin.test", "match": ["method", "path", "query", "body"]}"#)
    return interaction
  }

  @Test func oldCassettesMatchByWhatIsHiddenOnBothSides() throws {
    let folder = try TemporaryDirectory()
    let interaction = try old(folder)
    let cassette = try Cassette.load(folder("c"))
    #expect(cassette.matcher.redaction == Redaction(upstream: "http://origin.test"))
    #expect(cassette.sequence(for: interaction.request) != nil)
    #expect(cassette.sequence(for: cassette.matcher.redaction.redacted(interaction.request)) != nil)
    var other = interaction.request
    other.target = Array("/a?access_token=\(Self.random)x".utf8)
    #expect(cassette.sequence(for: other) == nil, "another secret is another request")
  }

  @Test func oldCassettesThatAreRecordedIntoAnswerAsBefore() throws {
    let folder = try TemporaryDirectory()
    let interaction = try old(folder)
    try record([exchange("GET", "/new")], into: folder("c"))
    let cassette = try Cassette.load(folder("c"))
    #expect(cassette.count == 2)
    #expect(cassette.sequence(for: interaction.request) != nil)
    try record([interaction], into: folder("c"), replacing: true)
    #expect(try Cassette.load(folder("c")).count == 2, "it replaces the old recording of the same request")
    #expect(try !holds(folder))
  }

  @Test(arguments: [("access_token=\(random)", 2), ("page=2", 1)])
  func `fixing raises the format version with the files that need it`(query: String, version: Int) throws {
    let folder = try TemporaryDirectory()
    try folder.write(
      "c/a.json",
      """
      {"request": {"method": "GET", "target": "/a?\(query)", "headers": [["X-Request-Id", "7"]]},
       "response": {"status": 200}}
      """)
    try folder.write("c/cassette.json", #"{"tapedeck": 1}"#)
    let cleaning = try CassetteCleaning(folder("c"), RedactionChoice())
    #expect(cleaning.changedFiles.count == version - 1)
    #expect(try folder.text("c/cassette.json").contains("\"tapedeck\": \(version)"))
  }

  @Test func oldCassettesAreFixed() throws {
    let folder = try TemporaryDirectory()
    let interaction = try old(folder)
    let cleaning = try CassetteCleaning(folder("c"), RedactionChoice())
    #expect(cleaning.remaining == [] && cleaning.unmatched == [])
    #expect(try !holds(folder))
    #expect(try !holds(folder, "hunter2"))
    #expect(try Cassette.load(folder("c")).sequence(for: interaction.request) != nil)
  }
}

extension CassetteRecorder {
  /// Records what an older version would: it knew fewer names of secrets.
  fileprivate func recordMissed(_ interaction: Interaction) throws {
    let tree = try InteractionFormat.encode(interaction) { _ throws(CassetteError) in
      throw .recordingEnded(directory: path)
    }
    var clean = interaction
    clean.response.body = .bytes([])
    let number = try #require(try add(redacting: &clean, tree: tree, arrival: nextArrival()))
    #expect(try commit(number))
  }
}
