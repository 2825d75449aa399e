import Foundation
import RecordingTestSupport
import TapedeckHTTP
import TestSupport
import Testing

@testable import TapedeckRecording
@testable import TapedeckRedaction

@Suite struct RecorderTests {
  /// A session in which three of four requests are asked more than once.
  private static func session() -> [Interaction] {
    (0..<200).map { index in
      exchange(
        "GET", "/item/\(index % 50)",
        body: Array("answer \(index) of \(String(repeating: "x", count: index))".utf8))
    }
  }

  @Test("D10 thread timing leaves no trace in the bytes") func threadTimingLeavesNoTrace() throws {
    let folder = try TemporaryDirectory()
    let session = Self.session()
    try record(session, into: folder("reference"))
    let reference = try folder.contents(of: "reference")
    #expect(reference.count == 201)
    for seed in 0..<5 {
      var random = SeededGenerator(UInt64(seed))
      let order = session.indices.shuffled(using: &random)
      let recorder = try CassetteRecorder.open(testing: folder("c\(seed)"))
      DispatchQueue.concurrentPerform(iterations: order.count) { turn in
        let index = order[turn]
        #expect(throws: Never.self) { try recorder.record(session[index], arrival: index) }
      }
      #expect(try recorder.seal().written == 200)
      #expect(try folder.contents(of: "c\(seed)") == reference)
    }
  }

  @Test("D10 the same session again changes nothing") func theSameSessionAgainChangesNothing() throws {
    let folder = try TemporaryDirectory()
    var session = Self.session()
    try record(session, into: folder("c"))
    let before = try folder.contents(of: "c")
    for index in session.indices {
      session[index].volatile.recordedAtMicroseconds = 5
      session[index].volatile.remoteAddress = "elsewhere"
    }
    let report = try record(session, into: folder("c"), replacing: true)
    #expect(report == SealReport(unchanged: 200))
    #expect(try folder.contents(of: "c") == before)
  }

  @Test func onlyTheDateDiffers() throws {
    let folder = try TemporaryDirectory()
    func dated(_ date: String) -> Interaction { exchange(answers: [("A", "1"), ("Date", date)]) }
    try record([dated("now")], into: folder("c"))
    #expect(try record([dated("later")], into: folder("c"), replacing: true) == SealReport(unchanged: 1))
    #expect(
      try record([exchange(answers: [("A", "1")])], into: folder("c"), replacing: true)
        == SealReport(written: 1))
  }

  @Test func aReformattedFileIsLeftAsItIs() throws {
    let folder = try TemporaryDirectory()
    try record([exchange("GET", "/a")], into: folder("c"))
    let name = try #require(try folder.names(of: "c").first { $0.hasPrefix("get-a") })
    var tree = try #require(try JSONValue(parsing: try folder.read("c/\(name)")).members)
    tree.insert(JSONMember("_comment", "mine"), at: 0)
    try folder.write("c/\(name)", JSONValue.object(tree).bytes(.spaced))
    let before = try folder.contents(of: "c")
    #expect(
      try record([exchange("GET", "/a")], into: folder("c"), replacing: true) == SealReport(unchanged: 1))
    #expect(try folder.contents(of: "c") == before)
    #expect(
      try record([exchange("GET", "/a", status: 201)], into: folder("c"), replacing: true)
        == SealReport(written: 1))
  }

  @Test func appendingFollowsWhatIsThere() throws {
    let folder = try TemporaryDirectory()
    try record([exchange("GET", "/a", body: [0x31]), exchange("GET", "/b")], into: folder("c"))
    let report = try record(
      [exchange("GET", "/a", body: [0x32]), exchange("GET", "/a", body: [0x33])], into: folder("c"))
    #expect(report == SealReport(written: 2))
    let cassette = try Cassette.load(folder("c"))
    let sequence = try #require(cassette.sequence(for: HTTPRequest(.get, "/a")))
    #expect(
      sequence.interactions.map(\.interaction.response.body) == [
        .bytes([0x31]), .bytes([0x32]), .bytes([0x33]),
      ])
  }

  @Test func replacingTouchesOnlyWhatWasAsked() throws {
    let folder = try TemporaryDirectory()
    let (a, b) = (exchange("GET", "/a"), exchange("GET", "/b"))
    try record([a, a, a, b], into: folder("c"))
    let report = try record([exchange("GET", "/a", status: 500)], into: folder("c"), replacing: true)
    #expect(report.written == 1 && report.removed == 2)
    let cassette = try Cassette.load(folder("c"))
    #expect(cassette.interactions.map(\.interaction.response.head.status) == [500, 200])
    #expect(
      report.untouched == cassette.interactions.dropFirst().map(\.fileName), "another run's, which is named")
  }

  @Test func bodiesNobodyNeedsGo() throws {
    let folder = try TemporaryDirectory()
    func large(_ byte: UInt8) -> Interaction {
      exchange("GET", "/a", body: [UInt8](repeating: byte, count: 300_000))
    }
    try record([large(1)], into: folder("c"))
    let first = try folder.names(of: "c/bodies")
    try record([large(2)], into: folder("c"), replacing: true)
    let second = try folder.names(of: "c/bodies")
    #expect(first.count == 1 && second.count == 1 && first != second)
    try record([exchange("GET", "/a")], into: folder("c"), replacing: true)
    #expect(!folder.exists("c/bodies"))
  }

  @Test("D12 debris is cleared, ordinary files are left alone") func ordinaryFilesBesideAreLeftAlone() throws
  {
    let folder = try TemporaryDirectory()
    try folder.write("c/README.md", "mine")
    try folder.write("c/bodies/notes.txt", "mine")
    try folder.write("c/.tapedeck-7.tmp", "debris")
    try folder.write("c/bodies/.spool-3", "debris")
    try record([exchange()], into: folder("c"))
    #expect(folder.exists("c/README.md") && folder.exists("c/bodies/notes.txt"))
    #expect(!folder.exists("c/.tapedeck-7.tmp") && !folder.exists("c/bodies/.spool-3"))
    #expect(try Cassette.load(folder("c")).count == 1)
  }

  @Test("D12 nothing recorded leaves nothing") func nothingRecordedLeavesNothing() throws {
    let folder = try TemporaryDirectory()
    let recorder = try CassetteRecorder.open(testing: folder("deep/er/c"))
    #expect(folder.exists("deep/er/c/journal.jsonl"))
    #expect(try recorder.seal() == SealReport())
    #expect(!folder.exists("deep"))
    try record([exchange()], into: folder("c"))
    let before = try folder.contents(of: "c")
    _ = try CassetteRecorder.open(testing: folder("c"), replacing: true).seal()
    #expect(try folder.contents(of: "c") == before)
  }

  @Test("D7 a second writer is refused, naming the first") func aSecondWriterIsRefusedByPid() throws {
    let folder = try TemporaryDirectory()
    let recorder = try CassetteRecorder.open(testing: folder("c"))
    #expect(
      throws: CassetteError.locked(
        directory: folder("c"), pid: Int(ProcessInfo.processInfo.processIdentifier))
    ) {
      _ = try CassetteRecorder.open(testing: folder("c"))
    }
    try recorder.record(exchange("GET", "/a"))
    #expect(try Cassette.load(folder("c")).count == 1)
    _ = try recorder.seal()
    #expect(try recorder.seal() == SealReport())
    _ = try CassetteRecorder.open(testing: folder("c")).seal()
  }

  @Test func afterSealingNothingIsRecorded() throws {
    let folder = try TemporaryDirectory()
    let recorder = try CassetteRecorder.open(testing: folder("c"))
    _ = try recorder.seal()
    let interaction = exchange()
    #expect(
      try !recorder.record(interaction, arrival: 0))
    #expect(!folder.exists("c"))
  }

  @Test("D1 one commit writes all that was added, and each learns of its own")
  func oneCommitWritesAll() throws {
    let folder = try TemporaryDirectory()
    let recorder = try CassetteRecorder.open(testing: folder("c"))
    func lines() throws -> Int { try folder.text("c/journal.jsonl").split(separator: "\n").count - 1 }
    var interactions = (0..<4).map { exchange("GET", "/\($0)") }
    let first = try #require(try recorder.add(redacting: &interactions[0], arrival: 0))
    let second = try #require(try recorder.add(redacting: &interactions[1], arrival: 1))
    #expect(try lines() == 0 && recorder.count == 0)
    #expect(try recorder.commit(second))
    #expect(try lines() == 2 && recorder.count == 2)
    let third = try #require(try recorder.add(redacting: &interactions[2], arrival: 2))
    #expect(try recorder.commit(first))
    #expect(try recorder.commit(third))
    #expect(try lines() == 3)
    let last = try #require(try recorder.add(redacting: &interactions[3], arrival: 3))
    #expect(try recorder.seal().written == 4)
    #expect(try recorder.commit(last), "sealing wrote it")
  }

  @Test("D6 what was added before a failure is written") func addedBeforeAFailure() throws {
    let folder = try TemporaryDirectory()
    let recorder = try CassetteRecorder.open(testing: folder("c"))
    try folder.write("c/bodies", "in the way")
    var small = exchange("GET", "/small")
    let number = try #require(try recorder.add(redacting: &small, arrival: 0))
    var large = exchange("GET", "/large", body: [UInt8](repeating: 0, count: 5000))
    #expect(throws: CassetteError.notAPlainFile(path: folder("c/bodies"))) {
      try recorder.add(redacting: &large, arrival: 1)
    }
    #expect(recorder.isBroken)
    #expect(try recorder.commit(number))
    #expect(recorder.count == 1)
  }

  @Test("D6 the first failure ends recording") func theFirstFailureEndsRecording() throws {
    let folder = try TemporaryDirectory()
    let recorder = try CassetteRecorder.open(testing: folder("c"))
    try folder.write("c/bodies", "in the way")
    try recorder.record(exchange("GET", "/small"))
    let large = exchange("GET", "/large", body: [UInt8](repeating: 0, count: 5000))
    #expect(throws: CassetteError.notAPlainFile(path: folder("c/bodies"))) {
      try recorder.record(large, arrival: 1)
    }
    #expect(recorder.isBroken)
    #expect(try !recorder.record(large, arrival: 2))
    #expect(recorder.count == 1)
    let spool = recorder.makeSpool()
    #expect(throws: CassetteError.recordingEnded(directory: folder("c"))) {
      try [1].withRawBytes { try spool.append($0) }
    }
  }

  @Test func noSpoolOutlivesTheSeal() throws {
    let folder = try TemporaryDirectory()
    let recorder = try CassetteRecorder.open(testing: folder("c"))
    try recorder.record(exchange())
    let spool = recorder.makeSpool()
    try [1].withRawBytes { try spool.append($0) }
    _ = try recorder.seal()
    #expect(throws: CassetteError.recordingEnded(directory: folder("c"))) {
      try [UInt8](repeating: 1, count: 2_000_000).withRawBytes { try spool.append($0) }
    }
    #expect(!folder.exists("c/bodies"))
  }

  @Test("D11 files are for the owner") func filesAreForTheOwner() throws {
    let folder = try TemporaryDirectory()
    try record([exchange(body: [UInt8](repeating: 0, count: 5000))], into: folder("c"))
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder("c")) + ["."] {
      let mode =
        try FileManager.default.attributesOfItem(atPath: folder("c/\(name)"))[.posixPermissions] as? Int
      #expect((mode ?? 0o777) & 0o077 == 0, "\(name)")
    }
  }

  @Test func theManifestKeepsWhatIsTheUsers() throws {
    let folder = try TemporaryDirectory()
    try folder.write("c/cassette.json", #"{"tapedeck":1,"upstream":"http://old.test","x-owner":{"a":1}}"#)
    try record([exchange()], into: folder("c"))
    #expect(try Cassette.load(folder("c")).upstream == "http://origin.test")
    #expect(try folder.text("c/cassette.json").contains(#""x-owner": {"#))
  }
}

extension SealReport {
  init(written: Int = 0, unchanged: Int = 0, removed: Int = 0) {
    self.init()
    (self.written, self.unchanged, self.removed) = (written, unchanged, removed)
  }
}
