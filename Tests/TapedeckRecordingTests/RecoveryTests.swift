import Foundation
import RecordingTestSupport
import Synchronization
import TapedeckHTTP
import Testing

@testable import TapedeckRecording
@testable import TapedeckRedaction

@Suite struct RecoveryTests {
  /// Records without sealing, as a killed process would, and gives the folder's state.
  private func crash(_ interactions: [Interaction], in folder: TemporaryDirectory, replacing: Bool = false)
    throws
  {
    let recorder = try CassetteRecorder.open(testing: folder("c"), replacing: replacing)
    for interaction in interactions { try recorder.record(interaction) }
  }

  private let three = [
    exchange("GET", "/a", body: [0x31]), exchange("GET", "/b", body: [UInt8](repeating: 0, count: 2000)),
    exchange("GET", "/a", body: [0x32]),
  ]

  @Test("D1 D3 the next start seals what was left") func theNextStartSealsWhatWasLeft() throws {
    let folder = try TemporaryDirectory()
    try record(three, into: folder("reference"))
    try crash(three, in: folder)
    #expect(
      try Cassette.load(folder("c")).interactions.map(\.interaction)
        == Cassette.load(folder("reference")).interactions.map(\.interaction))
    let recorder = try CassetteRecorder.open(testing: folder("c"))
    #expect(recorder.recoveredCount == 3)
    #expect(recorder.warnings.isEmpty)
    _ = try recorder.seal()
    #expect(try folder.contents(of: "c") == folder.contents(of: "reference"))
  }

  @Test func `a crash before the manifest is renamed leaves no format version too low`() throws {
    let folder = try TemporaryDirectory()
    var cut = exchange(body: Array("data: 1\n\n".utf8), chunks: [9])
    cut.response.isCutByClient = true
    try record([cut], into: folder("reference"))
    try crash([cut], in: folder)
    for name in try folder.names(of: "reference") where name != "cassette.json" {
      try folder.copy("reference/\(name)", to: "c/\(name)")
    }
    let recorder = try CassetteRecorder.open(testing: folder("c"))
    #expect(try recorder.seal().written == 0)
    #expect(try folder.text("c/cassette.json") == folder.text("reference/cassette.json"))
    #expect(try folder.text("c/cassette.json").contains("\"tapedeck\": 2"))
  }

  @Test func `a file of version 1 that stays as it is does not raise the format version`() throws {
    let folder = try TemporaryDirectory()
    try record([exchange(headers: [("A", "b")])], into: folder("c"))
    let name = try #require(try Cassette.load(folder("c")).interactions.first?.fileName)
    let old = try folder.text("c/\(name)").replacing(
      "\"headers\": [", with: "\"headers\": [[\"X-Request-Id\", \"1\"], ")
    try folder.write("c/\(name)", old)
    let report = try record(
      [
        exchange(
          headers: [("X-Request-Id", "2"), ("A", "b")],
          answers: [("X-Request-Id", "2"), ("Content-Type", "text/plain")])
      ],
      into: folder("c"), replacing: true)
    #expect(report.unchanged == 1)
    #expect(try folder.text("c/\(name)") == old)
    #expect(try folder.text("c/cassette.json").contains("\"tapedeck\": 1"))
  }

  @Test("D3 D5 a journal may end anywhere in its last line") func aJournalMayEndAnywhereInItsLastLine() throws
  {
    let folder = try TemporaryDirectory()
    try crash(three, in: folder)
    try folder.copy("c", to: "crashed")
    let journal = try folder.read("c/journal.jsonl")
    let lineStart = try #require(journal.dropLast().lastIndex(of: 0x0A)) + 1
    for end in stride(from: lineStart, through: journal.count, by: 1) {
      try folder.copy("crashed", to: "c")
      try folder.write("c/journal.jsonl", journal[..<end])
      let isWhole = end >= journal.count - 1
      let cassette = try Cassette.load(folder("c"))
      #expect(cassette.count == (isWhole ? 3 : 2))
      #expect(cassette.warnings.count == (isWhole || end == lineStart ? 0 : 1))
      let recorder = try CassetteRecorder.open(testing: folder("c"))
      #expect(recorder.recoveredCount == cassette.count)
      #expect(recorder.warnings == cassette.warnings)
      _ = try recorder.seal()
      #expect(
        try Cassette.load(folder("c")).interactions.map(\.interaction)
          == cassette.interactions.map(\.interaction))
    }
  }

  @Test func aCutHeaderIsNoJournal() throws {
    let folder = try TemporaryDirectory()
    let header = JournalHeader(pid: 1, isReplacing: true, origins: .one(nil)).line
    for end in 0..<header.count {
      try folder.write("c/journal.jsonl", header[..<end])
      let error = #expect(throws: CassetteError.self) { _ = try Cassette.load(folder("c")) }
      #expect(error == .absent(directory: folder("c")))
      let recorder = try CassetteRecorder.open(testing: folder("c"))
      #expect(recorder.recoveredCount == 0)
      #expect(recorder.warnings.count == (end == 0 || end == header.count - 1 ? 0 : 1))
      _ = try recorder.seal()
    }
  }

  @Test("D1 D7 a reader beside a sealing writer misses nothing that was told") func readersBesideSealing()
    throws
  {
    let folder = try TemporaryDirectory()
    try record([exchange("GET", "/0")], into: folder("c"))
    let told = Atomic<Int>(1)
    let isDone = Atomic<Bool>(false)
    let path = folder("c")
    @Sendable func write() throws {
      defer { isDone.store(true, ordering: .releasing) }
      for number in 1..<60 {
        let recorder = try CassetteRecorder.open(testing: path)
        try recorder.record(exchange("GET", "/\(number)"))
        told.store(number + 1, ordering: .releasing)
        _ = try recorder.seal()
      }
    }
    @Sendable func read() throws {
      while !isDone.load(ordering: .acquiring) {
        let before = told.load(ordering: .acquiring)
        #expect(try Cassette.load(path).count >= before)
      }
    }
    DispatchQueue.concurrentPerform(iterations: 2) { role in
      #expect(throws: Never.self) { try role == 0 ? write() : read() }
    }
    #expect(try Cassette.load(folder("c")).count == 60)
  }

  @Test("C09 D5 any flipped bit of a journal's header is found") func anyFlippedBitOfTheHeaderIsFound() throws
  {
    let header = JournalHeader(pid: 7, isReplacing: true, origins: .one("http://a.test")).line.dropLast()
    #expect(try JournalHeader(header, file: "j")?.isReplacing == true)
    for index in header.indices {
      for bit in 0..<8 {
        var flipped = header
        flipped[index] ^= 1 << UInt8(bit)
        let read = try? JournalHeader(flipped, file: "j")
        #expect(read == nil, "byte \(index), bit \(bit)")
      }
    }
  }

  @Test("D5 the warning tells a line that was cut from one that was damaged") func warnings() throws {
    let folder = try TemporaryDirectory()
    try crash(three, in: folder)
    let journal = try folder.read("c/journal.jsonl")
    try folder.write("c/journal.jsonl", journal.dropLast(9))
    #expect(try Cassette.load(folder("c")).warnings.first?.contains("no client was told of it") == true)
    try folder.write("c/journal.jsonl", journal.dropLast(9) + [0x0A])
    #expect(try Cassette.load(folder("c")).warnings.first?.contains("is damaged and left out") == true)
  }

  @Test("D5 damage in the middle is an error naming file and line") func damageInTheMiddleIsAnError() throws {
    let folder = try TemporaryDirectory()
    try crash(three, in: folder)
    var journal = try folder.read("c/journal.jsonl")
    let second = try #require(journal.firstIndex(of: 0x0A)) + 100
    journal[second] ^= 1
    try folder.write("c/journal.jsonl", journal)
    let before = try folder.contents(of: "c")
    let expected = CassetteError.damagedJournal(
      file: folder("c/journal.jsonl"), line: 2, problem: "the checksum does not agree with the line")
    #expect(throws: expected) { _ = try Cassette.load(folder("c")) }
    #expect(throws: expected) { _ = try CassetteRecorder.open(testing: folder("c")) }
    #expect(try folder.contents(of: "c") == before)
  }

  @Test("C09 D5 any flipped bit of a line is found") func anyFlippedBitOfALineIsFound() throws {
    let line = JournalRecord(tree: ["request": 1, "response": 2], arrival: 3, base: 4).line.dropLast()
    #expect(JournalRecord(line: line)?.arrival == 3)
    for index in line.indices {
      for bit in 0..<8 {
        var flipped = line
        flipped[index] ^= 1 << UInt8(bit)
        #expect(JournalRecord(line: flipped) == nil, "byte \(index), bit \(bit)")
      }
    }
  }

  /// Sealing stopped between any two of its renames and removals, then done again.
  @Test("D3 D4 sealing again ends in the same files", arguments: [false, true])
  func sealingAgainEndsInTheSameFiles(replacing: Bool) throws {
    let folder = try TemporaryDirectory()
    let old = [
      exchange("GET", "/a", body: [0x39]), exchange("GET", "/b"), exchange("GET", "/a"),
      exchange("GET", "/a", status: 500),
    ]
    try record(old, into: folder("c"))
    try crash(three, in: folder, replacing: replacing)
    try folder.copy("c", to: "crashed")
    _ = try CassetteRecorder.open(testing: folder("c")).seal()
    try folder.copy("c", to: "sealed")
    let (crashed, sealed) = (try folder.contents(of: "crashed"), try folder.contents(of: "sealed"))
    #expect(Set(sealed.keys).contains { $0.hasSuffix(".5.json") } == !replacing)
    let changed = sealed.filter { crashed[$0.key] != $0.value }.sorted { $0.key < $1.key }
    #expect(!changed.isEmpty)
    for count in 0...changed.count {
      try folder.copy("crashed", to: "c")
      for (index, file) in changed.enumerated() {
        try folder.write("c/" + (index < count ? file.key : ".tapedeck-\(index).tmp"), file.value)
      }
      #expect(
        try Cassette.load(folder("c")).interactions.map(\.interaction)
          == Cassette.load(folder("sealed")).interactions.map(\.interaction))
      _ = try CassetteRecorder.open(testing: folder("c")).seal()
      #expect(try folder.contents(of: "c") == sealed)
    }
  }

  @Test("D4 a failed seal leaves the cassette and the journal")
  func aFailedSealLeavesTheCassetteAndTheJournal() throws {
    let folder = try TemporaryDirectory()
    try record([exchange("GET", "/a", body: [0x39])], into: folder("c"))
    let recorder = try CassetteRecorder.open(testing: folder("c"), replacing: true)
    for interaction in three { try recorder.record(interaction) }
    try folder.write("c/.tapedeck-1.tmp", "in the way")
    let before = try folder.contents(of: "c").filter { $0.key != ".tapedeck-1.tmp" }
    #expect(throws: CassetteError.self) { _ = try recorder.seal() }
    #expect(try folder.contents(of: "c").filter { $0.key != ".tapedeck-1.tmp" } == before)
    #expect(before.keys.contains("journal.jsonl"))
  }

  @Test func aNewerJournalIsRefused() throws {
    let folder = try TemporaryDirectory()
    try folder.write("c/journal.jsonl", "{\"tapedeck-journal\":3,\"pid\":1}\n")
    let expected = CassetteError.newerFormat(file: folder("c/journal.jsonl"), version: 3)
    #expect(throws: expected) { _ = try Cassette.load(folder("c")) }
    #expect(throws: expected) { _ = try CassetteRecorder.open(testing: folder("c")) }
  }

  @Test func linesAreCutWherever() throws {
    let folder = try TemporaryDirectory()
    let lines = [0, 1, 262_143, 262_144, 5, 600_000].map { [UInt8](repeating: 0x61, count: $0) }
    for endsOpen in [false, true] {
      var content = Array(lines.map { $0 + [0x0A] }.joined())
      if endsOpen { content.removeLast() }
      try folder.write("lines", content)
      let file = try #require(try CassetteDirectory(opening: folder.path).openForReading("lines"))
      var reader = JournalLines(file)
      var found: [[UInt8]] = []
      while let line = try reader.next() {
        #expect(line.number == found.count + 1)
        #expect(try file.bytes(at: line.offset, count: line.bytes.count) == Array(line.bytes))
        found.append(Array(line.bytes))
        #expect(line.isLast == (found.count == lines.count))
      }
      #expect(found == lines)
    }
  }
}
