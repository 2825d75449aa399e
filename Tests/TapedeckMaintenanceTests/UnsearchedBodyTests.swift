import RecordingTestSupport
import TapedeckHTTP
import Testing

@testable import TapedeckMaintenance
@testable import TapedeckRecording
@testable import TapedeckRedaction

/// What becomes of bodies whose content coding cannot be opened, when secrets are refused and when not.
@Suite struct UnsearchedBodyTests {
  private static let random: [UInt8] = (0..<2000).map { UInt8(truncatingIfNeeded: ($0 &* $0 &* 31) >> 3) }

  private static func coded(_ name: String, _ body: [UInt8] = random) -> Interaction {
    exchange(
      "GET", "/coded", answers: [("Content-Type", "application/json"), ("Content-Encoding", name)], body: body
    )
  }

  private func open(
    _ path: String, _ secrets: SecretPolicy, keep: [String] = []
  ) throws -> CassetteRecorder {
    try CassetteRecorder.open(
      path, origins: .one("http://origin.test"), replacing: false, redaction: RedactionChoice(keep: keep),
      secrets: secrets, isDurable: false)
  }

  private func refusal(_ act: () throws -> Void) -> (finds: [SecretFind], text: String)? {
    do { try act() } catch {
      guard let error = error as? CassetteError, case .secretsFound(_, let finds, _) = error else {
        return nil
      }
      return (finds, "\(error)")
    }
    return nil
  }

  private func refused(_ interaction: Interaction, in folder: TemporaryDirectory) throws -> String {
    let recorder = try open(folder("c"), .refuse)
    try recorder.record(interaction)
    let refusal = try #require(refusal { _ = try recorder.seal() })
    #expect(refusal.finds.count == 1 && refusal.finds.allSatisfy(\.isUnsearchedBody))
    #expect(folder.exists("c/journal.jsonl"))
    return refusal.text
  }

  @Test(arguments: ["zzz", "gzip", "br", "zstd", "gzip, br", "gzip, zzz", "compress"])
  func areNotSealedWhereSecretsAreRefused(_ name: String) throws {
    let folder = try TemporaryDirectory()
    let text = try refused(Self.coded(name), in: folder)
    #expect(text.contains("holds a body that could not be searched for secrets:\n  get-coded-"))
    #expect(
      text.contains(".json: response.body: a body that could not be opened: Content-Encoding \(name)\n"))
    #expect(text.contains("--fix --keep content-encoding "))
    #expect(!text.contains("--redact") && !text.contains("(…)") && !text.contains("hides what was found"))
  }

  @Test func ofRequestsAreNotSealedEither() throws {
    let folder = try TemporaryDirectory()
    let sent = exchange("POST", "/", headers: [("Content-Encoding", "zzz")], sends: Self.random)
    #expect(try refused(sent, in: folder).contains(": request.body: a body that could not be opened"))
  }

  @Test func aboveTheBoundsAreNotSealed() throws {
    let folder = try TemporaryDirectory()
    let bomb = try #require(BodyCoding.gzip.encoded([UInt8](repeating: 0x20, count: 8 << 20)))
    #expect(try refused(Self.coded("gzip", bomb), in: folder).contains("Content-Encoding gzip"))
  }

  @Test func aSecretBesideThemIsToldToo() throws {
    let folder = try TemporaryDirectory()
    let recorder = try open(folder("c"), .refuse)
    try recorder.record(Self.coded("zzz"))
    let blob = [0, 1] + Array("password='a8Kz0Q3mP7xV2bN5cR9t'".utf8) + [0xFF]
    try recorder.record(exchange("GET", "/blob", answers: [], body: blob))
    let text = try #require(refusal { _ = try recorder.seal() }).text
    #expect(
      text.contains(
        "what looks like a secret that redaction has not hidden, and a body that could not be searched"))
    #expect(text.contains("--keep password") && text.contains("--keep content-encoding"))
  }

  @Test func areSealedWhereTheyAreAccepted() throws {
    let folder = try TemporaryDirectory()
    let recorder = try open(folder("c"), .refuse, keep: ["content-encoding"])
    try recorder.record(Self.coded("zzz"))
    #expect(try recorder.seal().written == 1)
    #expect(try SecretScan(folder("c")).units.flatMap(\.finds) == [], "the cassette remembers it")
  }

  @Test func ofARefusedJournalAreSealedOnceTheyAreAccepted() throws {
    let folder = try TemporaryDirectory()
    _ = try refused(Self.coded("zzz"), in: folder)
    #expect(refusal { _ = try CassetteCleaning(folder("c"), RedactionChoice()) } != nil, "--fix cannot help")
    let cleaning = try CassetteCleaning(folder("c"), RedactionChoice(keep: ["content-encoding"]))
    #expect(cleaning.recoveredCount == 1 && cleaning.remaining == [])
  }

  @Test func areSealedAndToldOnceWhereNothingIsRefused() throws {
    let folder = try TemporaryDirectory()
    let recorder = try open(folder("c"), .tell)
    try recorder.record(Self.coded("zzz"))
    #expect(recorder.takeUnopenedCodings() == ["zzz"])
    let report = try recorder.seal()
    #expect(report.written == 1 && report.finds == [])
  }

  @Test func areFoundByAScan() throws {
    let folder = try TemporaryDirectory()
    try record([Self.coded("zzz")], into: folder("c"))
    let finds = try SecretScan(folder("c")).units.flatMap(\.finds)
    #expect(finds.map(\.place) == ["response.body"] && finds.map(\.keepWord) == ["content-encoding"])
    #expect(try CassetteCleaning(folder("c"), RedactionChoice()).remaining == finds)
    #expect(try SecretScan(folder("c"), keep: ["content-encoding"]).units.flatMap(\.finds) == [])
  }

  @Test(arguments: ["binary", "none", "utf-8", "aws-chunked"])
  func anImageUnderANameThatMeansNothingIsSearchedAsItIs(_ name: String) throws {
    let folder = try TemporaryDirectory()
    let recorder = try open(folder("c"), .refuse)
    try recorder.record(Self.coded(name))
    #expect(try recorder.seal().written == 1)
    #expect(recorder.takeUnopenedCodings() == [])
  }

  @Test func aNameThatMayBeASecretIsNotSaid() throws {
    let folder = try TemporaryDirectory()
    let text = try refused(Self.coded("ghp_aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2"), in: folder)
    #expect(text.contains("Content-Encoding of an unknown name") && !text.lowercased().contains("ghp_ab3d"))
  }

  // MARK: Bodies too large to hold

  private func large(
    _ name: String, _ body: [UInt8], _ secrets: SecretPolicy, in folder: TemporaryDirectory
  ) throws -> CassetteRecorder {
    let recorder = try open(folder("c"), secrets)
    var interaction = Self.coded(name)
    let spool = recorder.makeSpool(fields: interaction.response.head.fields)
    for start in stride(from: 0, to: body.count, by: 1 << 18) {
      try body[start..<min(start + (1 << 18), body.count)].withUnsafeBytes { try spool.append($0) }
    }
    interaction.response.body = try spool.finish()
    try recorder.record(interaction)
    return recorder
  }

  /// Incompressible, and without anything that reads like a name or a token.
  private static let noise: [UInt8] = {
    var state: UInt64 = 1
    let words = (0..<700_000).map { _ -> UInt64 in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ state >> 29
    }
    return words.withUnsafeBytes { $0.map { $0 | 0x80 } }
  }()

  private static let filler = String(repeating: "0123456789 abcdef\n", count: 260_000)

  @Test func aLargeTextInAnUnknownCodingIsSearched() throws {
    let folder = try TemporaryDirectory()
    let secret = "ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2"
    let body = Array("\(Self.filler)password=\(secret)\nü\n".utf8)
    let recorder = try large("zzz", body, .refuse, in: folder)
    #expect(recorder.takeUnopenedCodings() == [])
    #expect(try recorder.seal().written == 1)
    let files = try folder.contents(of: "c/bodies")
    #expect(files.count == 1)
    #expect(files.values.allSatisfy { ByteSearch.first(Array(secret.utf8), in: $0[...]) == nil })
  }

  @Test func aLargeBodyThatCannotBeOpenedIsRefused() throws {
    let folder = try TemporaryDirectory()
    let recorder = try large("zzz", Self.noise, .refuse, in: folder)
    #expect(recorder.takeUnopenedCodings() == ["zzz"])
    #expect(refusal { _ = try recorder.seal() }?.finds.allSatisfy(\.isUnsearchedBody) == true)
  }

  @Test func theScannerOpensALargeBodyThatRecordingDidNot() throws {
    let folder = try TemporaryDirectory()
    let secret = "ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2"
    let clean = try #require(BodyCoding.gzip.encoded(Self.noise))
    #expect(try large("gzip", clean, .refuse, in: folder).seal().written == 1)
    let dirty = try #require(BodyCoding.gzip.encoded(Self.noise + Array("\n\(secret)\n".utf8)))
    #expect(dirty.count > 4 << 20, "so large that recording does not open it")
    let recorder = try large("gzip", dirty, .refuse, in: folder)
    let finds = try #require(refusal { _ = try recorder.seal() }).finds
    #expect(finds.map(\.looksLike) == ["a GitHub token"])
  }
}
