import RecordingTestSupport
import TapedeckHTTP
import Testing

@testable import TapedeckFormats
@testable import TapedeckRecording
@testable import TapedeckRedaction

@Suite struct ImportedSessionTests {
  private func session(_ entries: (origin: String, interaction: Interaction)...) -> ImportedSession {
    var session = ImportedSession()
    session.exchanges = entries.map { ImportedExchange(origin: $0.origin, interaction: $0.interaction) }
    return session
  }

  private var mixed: ImportedSession {
    session(
      ("https://a.test", exchange("GET", "/x", body: [1])),
      ("https://b.test:81", exchange("GET", "/x", body: [2])),
      ("https://b.test:81", exchange("GET", "/y", body: [3])),
      ("http://c.test", exchange("GET", "/z", body: [4])),
      ("http://c.test", exchange("GET", "/w", body: [5])), ("http://c.test", exchange("GET", "/x", body: [6]))
    )
  }

  @Test func `origins in the order they are met`() {
    #expect(mixed.origins.map(\.origin) == ["https://a.test", "https://b.test:81", "http://c.test"])
    #expect(mixed.chiefOrigin == "http://c.test")
    #expect(ImportedSession().chiefOrigin == nil)
  }

  @Test(
    arguments: [
      (["a.test"], [1], []), (["b.test"], [2, 3], []), (["b.test:81"], [2, 3], []),
      (["B.test:81", "https://a.test/"], [1, 2, 3], []),
      (["b.test:82"], [], ["b.test:82"]), (["d.test", "a.test"], [1], ["d.test"]),
      ([], [1, 2, 3, 4, 5, 6], []),
    ] as [([String], [UInt8], [String])]) func `only some hosts`(
      hosts: [String], bodies: [UInt8], unmet: [String]
    )
  {
    var session = mixed
    #expect(session.keepOnly(hosts) == unmet)
    #expect(session.exchanges.map(\.interaction.response.body) == bodies.map { .bytes([$0]) })
  }

  @Test func `several hosts make a cassette of several origins`() throws {
    let folder = try TemporaryDirectory()
    var session = mixed
    session.append(self.session(("", exchange("GET", "/none")), ("https://a~b", exchange("GET", "/odd"))))
    #expect(session.recordedOrigins == .several)
    try session.settle(for: folder("c"), upstream: nil, match: nil)
    #expect(session.exchanges.count == 6)
    #expect(session.notes.map(\.severity) == [.skipped])
    _ = try session.record(into: folder("c"))
    let cassette = try Cassette.load(folder("c"))
    #expect(cassette.origins == ["http://c.test", "https://a.test", "https://b.test:81"])
    #expect(cassette.count == 6)
  }

  @Test(
    arguments: [
      (nil, nil, 6), ("https://a.test", nil, 4), (nil, #"{"tapedeck": 1, "upstream": "http://c.test"}"#, 4),
      (nil, #"{"tapedeck": 2, "origins": []}"#, 6), ("https://a.test", #"{"tapedeck": 2, "origins": []}"#, 4),
    ] as [(String?, String?, Int)])
  func `the kind of the cassette is the one asked for, else the present one`(
    upstream: String?, manifest: String?, count: Int
  ) throws {
    let folder = try TemporaryDirectory()
    if let manifest { try folder.write("c/cassette.json", manifest) }
    var session = mixed
    try session.settle(for: folder("c"), upstream: upstream, match: nil)
    _ = try session.record(into: folder("c"), upstream: upstream)
    let cassette = try Cassette.load(folder("c"))
    #expect(cassette.count == count && cassette.hasSeveralOrigins == (count == 6))
    #expect(cassette.upstream == (count == 6 ? nil : upstream ?? "http://c.test"))
  }

  @Test func `one host is a cassette of one origin`() throws {
    let one = session(("https://a.test", exchange("GET", "/x")), ("", exchange("GET", "/y")))
    #expect(one.recordedOrigins == .one("https://a.test"))
  }

  @Test func `one origin responds to a request`() {
    var session = mixed
    session.settleOrigins(by: RequestMatcher())
    #expect(session.exchanges.map(\.interaction.response.body) == [3, 4, 5, 6].map { .bytes([$0]) })
    #expect(session.notes.map(\.file) == ["https://a.test", "https://b.test:81"])
    #expect(session.notes.allSatisfy { $0.severity == .skipped && $0.problem.contains("http://c.test") })
  }

  @Test func `where hosts are compared, each origin responds`() throws {
    var rules = MatchRules()
    rules.parts.insert(.host)
    var session = mixed
    for index in session.exchanges.indices {
      session.exchanges[index].interaction.request.authority = Array(session.exchanges[index].origin.utf8)
    }
    session.settleOrigins(by: RequestMatcher(rules))
    #expect(session.exchanges.count == 6 && session.notes.isEmpty)
  }

  @Test func `notes are counted by their reason`() {
    func note(_ file: String, _ entry: String, _ problem: String) -> ImportNote {
      ImportNote(severity: .lost, file: file, entry: entry, request: "GET /x", problem: problem)
    }
    #expect(ImportNote.summary([]) == [])
    #expect(ImportNote.summary([note("f", "entry 4", "p")]) == ["f: entry 4 (GET /x): p"])
    #expect(
      ImportNote.summary([1, 2, 3, 4, 9].map { note("f", "entry \($0)", "p") } + [note("f", "entry 5", "q")])
        == ["f: entries 1, 2, 3 and 2 more: p", "f: entry 5 (GET /x): q"])
    #expect(ImportNote.summary([note("f", "pair 1", "p"), note("f", "pair 2", "p")]) == ["f: pairs 1, 2: p"])
    #expect(ImportNote.summary([note("f", "mapping", "p"), note("g", "mapping", "p")]) == ["f, g: p"])
  }

  @Test func `nothing is recorded into a file`() throws {
    let folder = try TemporaryDirectory()
    try folder.write("session.har", #"{"log": {"entries": []}}"#)
    for name in ["session.har", "new.har"] {
      #expect(throws: CassetteError.notOurs(path: folder(name))) { try mixed.record(into: folder(name)) }
      #expect(throws: CassetteError.notOurs(path: folder(name))) {
        try CassetteRecorder.open(testing: folder(name))
      }
    }
    #expect(try folder.names(of: ".") == ["session.har"])
  }

  @Test func `secrets do not pass the door`() throws {
    let folder = try TemporaryDirectory()
    let secret = exchange("GET", "/x", headers: [("Authorization", "Bearer abcdefghijklmnop")])
    let result = try #require(try session(("https://a.test", secret)).record(into: folder("c")))
    #expect(result.hidden == 1)
    for content in try folder.contents(of: "c").values {
      #expect(!String(decoding: content, as: UTF8.self).contains("abcdefghijklmnop"))
    }
  }

  @Test func `the cassette keeps its own rules and origin`() throws {
    let folder = try TemporaryDirectory()
    try folder.write(
      "c/cassette.json", #"{"tapedeck": 1, "upstream": "http://own.test", "match": ["method", "path"]}"#)
    _ = try mixed.record(into: folder("c"))
    let cassette = try Cassette.load(folder("c"))
    #expect(cassette.upstream == "http://own.test")
    #expect(cassette.recordedRules.items == ["method", "path"])
  }

  @Test(
    arguments: [
      ([0x50, 0x4B, 3, 4], "unzip"), ([0x1F, 0x8B, 8], "gunzip"), ([0x78, 0x9C, 1, 2, 3, 4], "zlib"),
    ] as [([UInt8], String)]) func `archives are named`(
      bytes: [UInt8], remedy: String
    ) throws
  {
    let folder = try TemporaryDirectory()
    try folder.write("x", bytes)
    let error = #expect(throws: CassetteError.self) { try ImportedSession.read(folder("x")) }
    #expect(error?.description.contains(remedy) == true)
  }
}

@Test func `a file of no known format is no cassette`() throws {
  let folder = try TemporaryDirectory()
  try folder.write("file", "")
  #expect(throws: CassetteError.unknownFormat(path: folder("file"))) {
    _ = try Cassette.open(folder("file"))
  }
}
