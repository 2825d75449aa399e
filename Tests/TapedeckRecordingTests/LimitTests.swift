import Foundation
import Glibc
import RecordingTestSupport
import TapedeckHTTP
import Testing

@testable import TapedeckRecording
@testable import TapedeckRedaction

/// Beyond a limit there is an error, at once and without growth.
@Suite struct LimitTests {
  /// The long forms of tests run where this is set.
  static let isLong = ProcessInfo.processInfo.environment["TAPEDECK_LONG_TESTS"] == "1"

  private func problem(_ folder: TemporaryDirectory) -> String {
    do throws(CassetteError) {
      _ = try Cassette.load(folder("c"))
      return "none"
    } catch {
      return error.description
    }
  }

  /// A file of zeros that takes no room on the disk.
  private func makeHollow(_ folder: TemporaryDirectory, _ name: String, bytes: Int) throws {
    try folder.write(name, "")
    try #require(truncate(folder(name), off_t(bytes)) == 0)
  }

  @Test("C08 a file of 1 GB is refused unread") func hugeFile() throws {
    let folder = try TemporaryDirectory()
    try makeHollow(folder, "c/one.json", bytes: 1 << 30)
    #expect(problem(folder).contains("1073741824 bytes are more than the limit of 268435456"))
  }

  @Test("C05 C08 a body beyond the limit is refused unread") func hugeBody() throws {
    let folder = try TemporaryDirectory()
    let name = "bodies/00000000000000000000000000000000.bin"
    try makeHollow(folder, "c/\(name)", bytes: CassetteLimits.bodyFileBytes + 1)
    try folder.write(
      "c/one.json",
      #"{"request": {"method": "GET", "target": "/"}, "response": {"status": 200, "body": {"file": "\#(name)"}}}"#
    )
    #expect(problem(folder).contains("more than the limit of 5368709120"))
  }

  @Test("C08 a journal line without end is refused") func hugeLine() throws {
    let folder = try TemporaryDirectory()
    try makeHollow(folder, "c/journal.jsonl", bytes: CassetteLimits.journalLineBytes + (1 << 20))
    #expect(problem(folder).contains("journal.jsonl:1: the line is longer than 67108864 bytes"))
  }

  @Test("C08 an exchange beyond the journal's line is not recorded, and says so") func hugeExchange() throws {
    let folder = try TemporaryDirectory()
    let recorder = try CassetteRecorder.open(testing: folder("c"))
    try recorder.record(exchange("GET", "/small"))
    var large = exchange("GET", "/large", chunks: [])
    large.response.chunkSizes = (0...CassetteLimits.chunks).map { $0 % 2 + 1 }
    #expect(throws: CassetteError.overLimit(path: "a response", problem: "more than 4194304 chunks")) {
      try recorder.record(large, arrival: 1)
    }
    #expect(recorder.isBroken)
    _ = try recorder.seal()
    #expect(try Cassette.load(folder("c")).count == 1)
  }

  @Test("C08 chunks that a number multiplies are bounded") func multipliedChunks() throws {
    let folder = try TemporaryDirectory()
    let body = [UInt8](repeating: 0, count: CassetteLimits.chunks + 1)
    try record([exchange("GET", "/a", body: body, chunks: [body.count])], into: folder("c"))
    let name = try #require(try folder.names(of: "c").first { $0.hasPrefix("get-a") })
    let text = try folder.text("c/\(name)").replacing("[\(body.count)]", with: "[[1, 9000000000]]")
    try folder.write("c/\(name)", text)
    #expect(problem(folder).contains("response.chunks[0]: more than 4194304 chunks"))
  }

  @Test("C10 interactions and what they hold are counted") func load() throws {
    func interaction(bytes: Int) -> StoredInteraction {
      StoredInteraction(
        "one.json", exchange(), key: RequestMatcher().key(for: HTTPRequest(.get, "/")), bytes: bytes)
    }
    let one = interaction(bytes: 1 << 30)
    var load = LoadedAmount(path: "c")
    try load.add(one)
    try load.add(one)
    #expect(
      throws: CassetteError.overLimit(path: "c", problem: "more than 2147483648 bytes to hold in memory")
    ) {
      try load.add(one)
    }
    let small = interaction(bytes: 1)
    load = LoadedAmount(path: "c")
    for _ in 0..<CassetteLimits.interactions { try load.add(small) }
    #expect(throws: CassetteError.overLimit(path: "c", problem: "more than 1000000 interactions")) {
      try load.add(small)
    }
  }

  @Test("C10 a body that many refer to is held once") func sharedBody() throws {
    let folder = try TemporaryDirectory()
    let body = [UInt8](repeating: 0, count: 1 << 20)
    try record((0..<200).map { exchange("GET", "/\($0)", body: body) }, into: folder("c"))
    let addresses = try Cassette.load(folder("c")).interactions.map { answer -> UInt in
      guard case .bytes(let bytes) = answer.interaction.response.body else { return 0 }
      return bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    }
    #expect(addresses.count == 200 && Set(addresses).count == 1)
  }

  @Test("C10 a large cassette loads in linear time and bounded memory") func largeCassette() throws {
    let folder = try TemporaryDirectory()
    let count = Self.isLong ? 100_000 : 1000
    var seconds: [Double] = []
    for (name, entries) in [("quarter", count / 4), ("whole", count)] {
      let recorder = try CassetteRecorder.open(testing: folder(name))
      for index in 0..<entries {
        // Half of them answer one and the same request.
        let target = index % 2 == 0 ? "/same" : "/item/\(index)"
        try recorder.record(exchange("GET", target, body: Array(repeating: 0x61, count: 900)))
      }
      let sealed = try ContinuousClock().measure { _ = try recorder.seal() }
      let before = Self.residentBytes
      var cassette: Cassette?
      let loaded = try ContinuousClock().measure { cassette = try Cassette.load(folder(name)) }
      #expect(cassette?.count == entries)
      let perEntry = (Self.residentBytes - before) / entries
      print("C10: \(entries) interactions sealed in \(sealed), loaded in \(loaded), \(perEntry) bytes each")
      if Self.isLong { #expect(perEntry < 8192) }
      seconds.append(loaded / .seconds(1))
    }
    if Self.isLong { #expect(seconds[1] < 8 * seconds[0]) }
  }

  /// What the kernel counts as ours.
  static var residentBytes: Int {
    let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
    return (fields?.dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
  }
}
