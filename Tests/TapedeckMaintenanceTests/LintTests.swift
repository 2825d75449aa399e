import RecordingTestSupport
import TapedeckHTTP
import Testing

@testable import TapedeckFormats
@testable import TapedeckMaintenance
@testable import TapedeckRecording
@testable import TapedeckRedaction

/// Long after everything in these tests.
private let now = 4_000_000_000_000

@Suite struct LintTests {
  private func cassette(
    _ interactions: [Interaction] = [exchange(), exchange("GET", "/a"), exchange("GET", "/a")]
  )
    throws -> TemporaryDirectory
  {
    let folder = try TemporaryDirectory()
    try record(interactions, into: folder("c"))
    return folder
  }

  private func found(_ folder: TemporaryDirectory) throws -> [String] {
    try CassetteLint(folder("c"), now: now).findings.map { "\($0.severity) \($0.rule.rawValue) \($0.file)" }
  }

  private func names(_ folder: TemporaryDirectory) throws -> [String] {
    try Cassette.load(folder("c")).interactions.map(\.fileName)
  }

  @Test func `a cassette in order has nothing to be told`() throws {
    #expect(try found(try cassette()) == [])
    #expect(throws: CassetteError.self) { try CassetteLint("/nowhere/at/all", now: now) }
  }

  @Test func `everything wrong is found, not only the first`() throws {
    let folder = try cassette()
    let names = try names(folder)
    try folder.write("c/\(names[0])", "{ not json")
    try folder.write("c/\(names[1])", #"{"request": {"method": "GET", "target": "/"}, "respnse": {}}"#)
    try folder.write("c/cassette.json", #"{"tapedeck": 1, "mach": []}"#)
    try folder.write("c/.tapedeck-0.tmp", "")
    try folder.write("c/bodies/.spool-1", "")
    #expect(
      Set(try found(folder)) == [
        "error unreadable \(names[0])", "error unreadable \(names[1])", "error unreadable cassette.json",
        "warning debris .tapedeck-0.tmp", "warning debris bodies/.spool-1",
      ])
    #expect(throws: CassetteError.self) { try CassetteTidying(fixing: folder("c")) }
  }

  @Test func `a body that is missing is an error`() throws {
    let folder = try cassette([exchange("GET", "/large", body: [UInt8](repeating: 0, count: 5000))])
    let body = try folder.names(of: "c/bodies")[0]
    try folder.write("c/bodies/\(body)", "something else")
    #expect(
      try found(folder) == [
        "error unreadable \(try #require(folder.names(of: "c").first { $0.hasPrefix("get") }))"
      ])
  }

  @Test func `names, numbers and orphans are put right`() throws {
    let folder = try cassette()
    // The two responses of /a, then the root.
    let names = try names(folder)
    let seventh = names[1].replacing(".2.json", with: ".7.json")
    try folder.copy("c/\(names[2])", to: "c/by-hand.json")
    try folder.copy("c/\(names[1])", to: "c/\(seventh)")
    try folder.copy("c/\(names[0])", to: "c/\(names[1])")
    for name in [names[0], names[2]] { try folder.delete("c/\(name)") }
    let orphan = "c/bodies/\(String(repeating: "0", count: 32)).bin"
    try folder.write(orphan, "x")
    try folder.delete("c/cassette.json")
    let before = try replayed(folder("c"))
    #expect(
      Set(try found(folder)) == [
        "warning name by-hand.json", "warning numbering \(names[1])", "warning numbering \(seventh)",
        "warning orphan-body \(orphan.dropFirst(2))", "info no-manifest cassette.json",
      ])
    let fix = try CassetteTidying(fixing: folder("c"))
    #expect(fix.renamed.count == 3)
    #expect(fix.removedBodies == 1)
    #expect(try found(folder) == ["info no-manifest cassette.json"])
    #expect(try self.names(folder) == names)
    #expect(try replayed(folder("c")) == before)
    #expect(try CassetteTidying(fixing: folder("c")).isEmpty)
  }

  @Test func `a left-over journal is sealed`() throws {
    let folder = try cassette()
    let recorder = try CassetteRecorder.open(testing: folder("c"))
    try recorder.record(exchange("GET", "/new"))
    try folder.copy("c", to: "left")
    _ = try recorder.seal()
    try folder.copy("left", to: "c")
    #expect(try found(folder) == ["warning journal journal.jsonl"])
    #expect(try CassetteTidying(fixing: folder("c")).recoveredCount == 1)
    #expect(try found(folder) == [])
    #expect(try names(folder).count == 4)
  }

  @Test(
    arguments: [
      (exchange(status: 503), ["warning failure-recorded"]),
      (exchange(status: 429), ["warning failure-recorded"]),
      (exchange(status: 404), []),
      (exchange(body: [UInt8](repeating: 0x61, count: 2 << 20)), ["info large-body"]),
      (exchange(answers: [("Location", "http://localhost:8080/x")]), ["info local-address"]),
      (exchange(answers: [("Location", "http://localhost.example.com/x")]), []),
      (exchange(body: Array("see http://127.0.0.1/x".utf8)), ["info local-address"]),
      (exchange(body: Array("see http://127.0.0.100/x".utf8)), []),
      (
        exchange(answers: [("Set-Cookie", "a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT")]),
        ["info expired-cookie"]
      ),
      (exchange(answers: [("Set-Cookie", "a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT")]), []),
      (exchange(answers: [("Set-Cookie", "a=1; Max-Age=5; Expires=Wed, 09 Jun 2027 10:18:14 GMT")]), []),
    ] as [(Interaction, [String])])
  func `a suspicious response is reported`(interaction: Interaction, expected: [String]) throws {
    let folder = try cassette([interaction])
    #expect(try found(folder).map { $0.split(separator: " ").dropLast().joined(separator: " ") } == expected)
  }

  @Test func `what is local anyway may say so`() throws {
    let folder = try cassette([exchange(answers: [("Location", "http://localhost:8080/x")])])
    try folder.write(
      "c/cassette.json",
      #"{"tapedeck": 1, "upstream": "http://localhost:8080", "match": ["method", "path", "query", "body"]}"#)
    #expect(try found(folder) == [])
  }

  @Test func `several hosts are told`() throws {
    let folder = try cassette([
      exchange("GET", "/a", headers: [("Host", "a.test")]),
      exchange("GET", "/b", headers: [("Host", "b.test")]),
    ])
    #expect(try found(folder) == ["info several-hosts "])
  }

  @Test func `a length that was edited away from the body is told`() throws {
    let folder = try cassette([exchange(answers: [("Content-Length", "6")])])
    let name = try names(folder)[0]
    try folder.write(
      "c/\(name)",
      try folder.text("c/\(name)").replacing(#""Content-Length", null"#, with: #""Content-Length", "7""#))
    #expect(try found(folder) == ["info content-length \(name)"])
  }
}

@Test(
  arguments: [
    ("a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT", 1_812_536_294_000),
    ("a=1; path=/; expires=Wed, 09-Jun-27 10:18:14 GMT; secure", 1_812_536_294_000),
    ("a=1", nil), ("a=1; Expires=soon", nil), ("a=1; Expires=Wed, 32 Jun 2027 10:18:14 GMT", nil),
    ("Expires=Wed, 09 Jun 2027 10:18:14 GMT", nil),
  ] as [(String, Int?)])
func `a cookie's end is read`(cookie: String, milliseconds: Int?) {
  #expect(InteractionLint.cookieExpiry(cookie) == milliseconds)
}
