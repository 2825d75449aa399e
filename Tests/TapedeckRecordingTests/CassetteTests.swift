import Foundation
import Glibc
import RecordingTestSupport
import TapedeckHTTP
import Testing

@testable import TapedeckRecording
@testable import TapedeckRedaction

@Suite struct CassetteTests {
  private func statuses(
    _ sequence: InteractionSequence, _ count: Int, _ policy: ExhaustionPolicy
  ) -> [String] {
    (0..<count).map { _ in
      guard let next = sequence.next(onExhausted: policy) else { return "-" }
      return "\(next.interaction.interaction.response.head.status)\(next.isBeyondRecording ? "+" : "")"
    }
  }

  @Test(arguments: [
    (ExhaustionPolicy.repeatLast, ["201", "202", "202+", "202+", "202+"]),
    (.loop, ["201", "202", "201+", "202+", "201+"]),
    (.miss, ["201", "202", "-", "-", "-"]),
  ])
  func theKthRequestGetsTheKthAnswer(policy: ExhaustionPolicy, expected: [String]) throws {
    let folder = try TemporaryDirectory()
    try record(
      [201, 202].map { exchange("GET", "/a", status: $0) } + [exchange("GET", "/b")], into: folder("c"))
    let cassette = try Cassette.load(folder("c"))
    #expect(cassette.count == 3)
    #expect(cassette.unused.count == 3)
    let sequence = try #require(cassette.sequence(for: HTTPRequest(.get, "/a")))
    #expect(statuses(sequence, 5, policy) == expected)
    #expect(sequence.hits == (policy == .miss ? 2 : 5))
    #expect(cassette.unused.map(\.interaction.request.targetText) == ["/b"])
    #expect(cassette.sequence(for: HTTPRequest(.get, "/c")) == nil)
  }

  @Test func concurrentRequestsShareTheAnswers() throws {
    let folder = try TemporaryDirectory()
    try record((0..<400).map { exchange("GET", "/a", body: Array("\($0)".utf8)) }, into: folder("c"))
    let sequence = try #require(try Cassette.load(folder("c")).sequence(for: HTTPRequest(.get, "/a")))
    DispatchQueue.concurrentPerform(iterations: 400) { _ in _ = sequence.next(onExhausted: .miss) }
    #expect(sequence.hits == 400)
    #expect(sequence.next(onExhausted: .miss) == nil)
    #expect(
      sequence.interactions.map(\.interaction.response.body) == (0..<400).map { .bytes(Array("\($0)".utf8)) })
  }

  @Test func answersAreListedByNumber() throws {
    let folder = try TemporaryDirectory()
    let many = (0..<11).map { exchange("GET", "/a", status: 200 + $0) }
    try record(many + [exchange("GET", "/b", status: 300)], into: folder("c"))
    let cassette = try Cassette.load(folder("c"))
    #expect(cassette.interactions.map(\.interaction.response.head.status) == Array(200...210) + [300])
  }

  @Test func namesAreCosmetic() throws {
    let folder = try TemporaryDirectory()
    try record([201, 202].map { exchange("GET", "/a", status: $0) }, into: folder("c"))
    for name in try folder.names(of: "c") where name.hasPrefix("get-a") {
      let new = name.hasSuffix(".2.json") ? "a login.json" : "zz.json"
      try FileManager.default.moveItem(atPath: folder("c/\(name)"), toPath: folder("c/\(new)"))
    }
    let cassette = try Cassette.load(folder("c"))
    let sequence = try #require(cassette.sequence(for: HTTPRequest(.get, "/a")))
    #expect(sequence.interactions.map(\.fileName) == ["a login.json", "zz.json"])
    #expect(cassette.interactions.map(\.fileName) == ["a login.json", "zz.json"])
  }

  @Test("D8 replay writes nothing") func replayWritesNothing() throws {
    let folder = try TemporaryDirectory()
    try record(
      [exchange("GET", "/a"), exchange("GET", "/b", body: [UInt8](repeating: 0, count: 2_000_000))],
      into: folder("c"))
    do {
      let recorder = try CassetteRecorder.open(testing: folder("c"))
      try recorder.record(exchange("GET", "/crashed"))
    }
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder("c")) + ["."]
    func states() throws -> [[Int]] {
      try paths.map { path in
        var status = stat()
        try #require(lstat(folder("c/\(path)"), &status) == 0)
        return [
          status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
          Int(status.st_size), Int(status.st_mode),
        ]
      }
    }
    for path in paths {
      #expect(chmod(folder("c/\(path)"), path.hasSuffix("bodies") || path == "." ? 0o500 : 0o400) == 0)
    }
    let before = try states()
    let cassette = try Cassette.load(folder("c"))
    #expect(cassette.count == 3)
    for answer in cassette.interactions {
      if case .file(let file) = answer.interaction.response.body {
        #expect(try file.open().bytes(at: 0, count: 9).count == 9)
      }
    }
    #expect(try states() == before)
    for path in paths { _ = chmod(folder("c/\(path)"), 0o700) }
  }

  @Test func aJournalIsLaidOverTheFiles() throws {
    let folder = try TemporaryDirectory()
    try record(
      [201, 202, 203].map { exchange("GET", "/a", status: $0) } + [exchange("GET", "/b")], into: folder("c"))
    for (replacing, expected) in [(false, [201, 202, 203, 500]), (true, [500])] {
      try folder.copy("c", to: "d")
      let recorder = try CassetteRecorder.open(testing: folder("d"), replacing: replacing)
      try recorder.record(exchange("GET", "/a", status: 500))
      let before = try Cassette.load(folder("d"))
      let sequence = try #require(before.sequence(for: HTTPRequest(.get, "/a")))
      #expect(sequence.interactions.map(\.interaction.response.head.status) == expected)
      #expect(before.sequence(for: HTTPRequest(.get, "/b")) != nil)
      _ = try recorder.seal()
      let after = try Cassette.load(folder("d"))
      #expect(after.interactions.map(\.fileName) == before.interactions.map(\.fileName))
      #expect(after.interactions.map(\.interaction) == before.interactions.map(\.interaction))
    }
  }
}
