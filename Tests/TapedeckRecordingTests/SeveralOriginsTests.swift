import Glibc
import RecordingTestSupport
import TapedeckHTTP
import TestSupport
import Testing

@testable import TapedeckRecording
@testable import TapedeckRedaction

/// Cassettes of several origins: version 2, with a folder for each host and the origin in the key.
@Suite struct SeveralOriginsTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func from(
    _ origin: String, _ target: String = "/users", _ method: String = "GET", sends: String = "",
    body: String = "hello\n"
  ) throws -> Interaction {
    let origin = try #require(HTTPOrigin(origin))
    var interaction = exchange(
      method, target, headers: [("Host", origin.authority)], sends: Array(sends.utf8), body: Array(body.utf8))
    (interaction.request.scheme, interaction.request.authority) = (
      origin.scheme, Array(origin.authority.uppercased().utf8)
    )
    return interaction
  }

  private func open(_ name: String = "c", replacing: Bool = false) throws -> CassetteRecorder {
    try CassetteRecorder.open(folder(name), origins: .several, replacing: replacing, isDurable: false)
  }

  private func seal(
    _ interactions: [Interaction], _ name: String = "c", replacing: Bool = false
  ) throws -> SealReport {
    let recorder = try open(name, replacing: replacing)
    for interaction in interactions { try recorder.record(interaction) }
    return try recorder.seal()
  }

  private func request(_ origin: String, _ target: String = "/users") throws -> HTTPRequest {
    try from(origin, target).request
  }

  @Test func `each interaction lies in the folder of its host and names its origin`() throws {
    _ = try seal([
      from("https://b.test"), from("https://a.test:8443"), from("http://a.test"), from("https://a.test"),
      from("https://[::1]:9"), from("http://bodies"),
    ])
    let cassette = try Cassette.load(folder("c"))
    let folders = cassette.interactions.map { $0.fileName.split(separator: "/")[0] }
    #expect(folders == ["a.test", "a.test", "a.test_8443", "b.test", "host_--1_9_", "host_bodies_"])
    #expect(Set(cassette.interactions.map(\.fileName)).count == 6)
    let origins = [
      "http://a.test", "http://bodies", "https://[::1]:9", "https://a.test", "https://a.test:8443",
      "https://b.test",
    ]
    #expect(cassette.origins == origins)
    #expect(cassette.hasSeveralOrigins)
    #expect(cassette.upstream == nil)
    let manifest = try folder.text("c/cassette.json")
    #expect(manifest.hasPrefix("{\n  \"tapedeck\": 2,\n  \"origins\": [\n    \"http://a.test\",\n"))
    let names = Dictionary(
      uniqueKeysWithValues: cassette.interactions.map {
        ("\($0.interaction.origin.map(\.description) ?? "")", $0.fileName)
      })
    #expect(
      try folder.text("c/\(names["https://b.test"] ?? "")").hasPrefix(
        "{\n  \"origin\": \"https://b.test\",\n"))
    #expect(!folder.exists("c/journal.jsonl"))
    #expect(try folder.names(of: "c").count == 6)
  }

  @Test func `the same session gives the same files at any order of arrival`() throws {
    let session = try ["https://a.test", "https://b.test", "http://a.test"].flatMap { origin in
      try ["/x", "/y", "/x"].map { try from(origin, $0, body: "\(origin)\($0)") }
    }
    _ = try seal(session, "c")
    _ = try seal(session.sorted { "\($0.request.scheme)" > "\($1.request.scheme)" }, "d")
    #expect(try folder.contents(of: "c") == folder.contents(of: "d"))
    let report = try seal(session, "c", replacing: true)
    #expect(report.unchanged == 9 && report.written == 0)
  }

  @Test func `how clients reach the origins is kept, and told where it changes`() throws {
    func record(_ origin: String, _ patterns: [String]?, isForward: Bool = false) throws -> CassetteRecorder {
      let upstreams = patterns.map { RecordedUpstreams(patterns: $0, isForward: isForward) }
      let recorder = try CassetteRecorder.open(
        folder("c"), origins: .several, replacing: false, upstreams: upstreams, isDurable: false)
      try recorder.record(from(origin))
      return recorder
    }
    let patterns = ["/a=https://a.test", "https://b.test"]
    let first = try record("https://a.test", patterns)
    // As after a crash, the journal tells.
    let unsealed = try Cassette.load(folder("c")).upstreams
    #expect(unsealed == RecordedUpstreams(patterns: patterns, isForward: false))
    _ = try first.seal()
    let members = try JSONValue(parsing: Array(folder.text("c/cassette.json").utf8)).members
    #expect(members?.map(\.name.text) == ["tapedeck", "origins", "upstreams", "match", "redaction"])
    #expect(members?[2].value == ["/a=https://a.test", "https://b.test"])
    let upkeep = try record("https://b.test", nil)
    #expect(upkeep.upstreams == unsealed)
    _ = try upkeep.seal()
    let forward = try record("https://c.test", [], isForward: true)
    #expect(forward.upstreams == RecordedUpstreams(patterns: patterns, isForward: true))
    _ = try forward.seal()
    #expect(try CassetteDirectory(opening: folder("c")).upstreams() == forward.upstreams)
    let other = try record("https://d.test", ["/b=https://b.test"])
    #expect(other.replacedUpstreams?.patterns == patterns)
    _ = try other.seal()
    let upstreams = try Cassette.load(folder("c")).upstreams
    #expect(upstreams == RecordedUpstreams(patterns: ["/b=https://b.test"], isForward: true))
  }

  @Test func `a forward proxy's cassette says nothing of patterns`() throws {
    let upstreams = RecordedUpstreams(patterns: [], isForward: true)
    let recorder = try CassetteRecorder.open(
      folder("c"), origins: .several, replacing: false, upstreams: upstreams, isDurable: false)
    try recorder.record(from("https://a.test"))
    _ = try recorder.seal()
    #expect(try Cassette.load(folder("c")).upstreams == upstreams)
    #expect(try !folder.text("c/cassette.json").contains("forward"))
  }

  @Test(arguments: [
    ("https://a.test", "https://a.test", true), ("https://a.test:443", "https://A.test", true),
    ("https://a.test", "http://a.test", false), ("https://a.test", "https://a.test:8443", false),
    ("https://a.test", "https://b.test", false), ("http://a.test:80", "http://a.test", true),
    ("http://a.test:443", "https://a.test:443", false), ("https://[::1]", "https://[::1]:443", true),
  ])
  func `a request gets the responses of its own origin`(recorded: String, asked: String, isFound: Bool) throws
  {
    _ = try seal([from(recorded)])
    let cassette = try Cassette.load(folder("c"))
    #expect(try (cassette.sequence(for: request(asked)) != nil) == isFound)
  }

  @Test func `equal keys are those of equal origins`() throws {
    var generator = SeededGenerator(7)
    let matcher = RequestMatcher(comparesOrigin: true)
    let hosts = [
      "a.test", "A.TEST", "a.test:80", "a.test:443", "a.test:0443", "a.test:", "[::1]", "[::1]:80",
    ]
    for _ in 0..<2000 {
      let requests = (0..<2).map { _ -> HTTPRequest in
        var request = HTTPRequest(.get, "/")
        request.scheme = generator.below(2) == 0 ? .http : .https
        request.authority = Array(hosts[generator.below(hosts.count)].utf8)
        return request
      }
      let isEqual = requests[0].origin == requests[1].origin
      #expect((matcher.key(for: requests[0]) == matcher.key(for: requests[1])) == isEqual)
    }
  }

  @Test func `a cassette of one origin stays as it was`() throws {
    var named = try from("https://a.test", "/a")
    named.request.namesOrigin = true
    try record([named, exchange("GET", "/b")], into: folder("c"))
    let names = try folder.names(of: "c")
    #expect(names == ["cassette.json", "get-a-42660c.json", "get-b-c0bc8c.json"])
    #expect(try folder.text("c/cassette.json").hasPrefix("{\n  \"tapedeck\": 1,\n  \"upstream\": "))
    #expect(try !folder.text("c/\(names[1])").contains("\"origin\""))
    let cassette = try Cassette.load(folder("c"))
    #expect(cassette.origins == ["http://origin.test"] && !cassette.hasSeveralOrigins)
  }

  // MARK: Recovery

  @Test(arguments: [false, true]) func `a journal left by a crash is sealed as what it was`(replacing: Bool)
    throws
  {
    _ = try seal([from("https://a.test", "/old")])
    try folder.copy("c", to: "expected")
    let session = try [from("https://a.test"), from("http://b.test"), from("https://a.test")]
    _ = try seal(session, "expected", replacing: replacing)
    let recorder = try open(replacing: replacing)
    for interaction in session { try recorder.record(interaction) }
    let journal = try folder.read("c/journal.jsonl")
    _ = recorder
    try folder.copy("c", to: "d")
    let live = try Cassette.load(folder("c"))
    #expect(live.count == 4)
    #expect(live.origins == ["http://b.test", "https://a.test"])
    try folder.write("d/journal.jsonl", journal)
    _ = try open("d").seal()
    #expect(try folder.contents(of: "d") == folder.contents(of: "expected"))
  }

  @Test func `a first recording that crashed is sealed whoever opens it`() throws {
    let recorder = try open()
    try recorder.record(from("https://a.test"))
    try folder.copy("c", to: "d")
    #expect(throws: CassetteError.self) {
      try CassetteRecorder.open(
        folder("d"), origins: .one("http://x.test"), replacing: true, isDurable: false)
    }
    let cassette = try Cassette.load(folder("d"))
    #expect(cassette.origins == ["https://a.test"] && cassette.count == 1)
    #expect(!folder.exists("d/journal.jsonl"))
    _ = recorder
  }

  @Test func `a journal without its header leaves the bodies alone`() throws {
    let large = String(repeating: "é\u{0}", count: 40_000)
    _ = try seal([from("https://a.test", body: large)])
    let before = try folder.contents(of: "c")
    #expect(before.keys.contains { $0.hasPrefix("bodies/") })
    try folder.write("c/journal.jsonl", #"{"tapedeck-journal":2,"#)
    _ = try open().seal()
    #expect(try folder.contents(of: "c") == before)
  }

  @Test func `a folder goes with its last interaction`() throws {
    _ = try seal([from("https://a.test", "/x"), from("https://a.test", "/x"), from("https://b.test", "/x")])
    let recorder = try open(replacing: true)
    try recorder.record(from("https://a.test", "/x"))
    #expect(try recorder.seal().removed == 1)
    #expect(try folder.names(of: "c") == ["a.test", "b.test", "cassette.json"])
  }

  // MARK: Refusals

  @Test(arguments: [false, true]) func `a recording is not continued as one of the other kind`(
    replacing: Bool
  ) throws {
    _ = try seal([from("https://a.test")])
    try record([exchange("GET", "/a")], into: folder("d"))
    let before = try folder.contents()
    #expect(throws: CassetteError.self) {
      try CassetteRecorder.open(testing: folder("c"), replacing: replacing)
    }
    #expect(throws: CassetteError.self) { try open("d", replacing: replacing) }
    #expect(try folder.contents() == before)
  }

  @Test func `an empty cassette becomes what is recorded into it`() throws {
    try folder.write("c/cassette.json", #"{"tapedeck": 1, "upstream": "http://x.test", "_note": 1}"#)
    _ = try seal([from("https://a.test")])
    #expect(try Cassette.load(folder("c")).origins == ["https://a.test"])
    try folder.write("d/cassette.json", #"{"tapedeck": 2, "origins": []}"#)
    try record([exchange("GET", "/a")], into: folder("d"))
    #expect(try Cassette.load(folder("d")).origins == ["http://origin.test"])
  }

  private static let file = """
    {"origin": "https://a.test", "request": {"method": "GET", "target": "/"}, "response": {"status": 200}}
    """

  @Test(
    arguments: [
      (#"{"tapedeck": 2, "origins": []}"#, "a.test/x.json", file, nil),
      (#"{"tapedeck": 2, "origins": []}"#, "x.json", file, nil),
      (#"{"tapedeck": 2, "origins": []}"#, "elsewhere/x.json", file, nil),
      (nil, "a.test/x.json", file, nil),
      (
        #"{"tapedeck": 1}"#, "a.test/x.json", file,
        "cassette.json: origins: it is missing, and a.test/x.json names"
      ),
      (#"{"tapedeck": 1}"#, "x.json", file, "x.json: origin: the cassette is of one origin"),
      (#"{"tapedeck": 1}"#, "notes/x.json", #"{"origin": 1}"#, nil),
      (#"{"tapedeck": 3, "origins": []}"#, "a.test/x.json", file, "newer tapedeck (format 3)"),
      (#"{"tapedeck": 1, "origins": []}"#, "a.test/x.json", file, "`origins` needs a `tapedeck` of 2"),
      (
        #"{"tapedeck": 2, "origins": [], "upstream": "http://a"}"#, "a.test/x.json", file,
        "no sense beside `upstream`"
      ),
      (#"{"tapedeck": 2, "origins": ["a.test"]}"#, "a.test/x.json", file, "origins[0]: an origin like"),
      (
        #"{"tapedeck": 2, "origins": []}"#, "a.test/x.json",
        #"{"request": {"method": "GET", "target": "/"}, "response": {"status": 200}}"#,
        "a.test/x.json: origin: it is missing"
      ),
      (
        #"{"tapedeck": 2, "origins": []}"#, "a.test/x.json",
        file.replacing("\"target\"", with: "\"host\": \"b\", \"target\""),
        "`host` makes no sense beside `origin`"
      ),
    ] as [(String?, String, String, String?)])
  func `contradictions are named`(manifest: String?, name: String, text: String, problem: String?) throws {
    if let manifest { try folder.write("c/cassette.json", manifest) }
    try folder.write("c/\(name)", text)
    for reading in [InteractionReading.atOnce, .whenAsked(above: 0)] {
      var found: String?
      do { _ = try Cassette.load(folder("c"), reading: reading) } catch { found = "\(error)" }
      #expect(
        problem == nil ? found == nil : found?.contains(problem ?? "") == true, "\(found ?? "accepted")")
    }
  }

  @Test(arguments: [
    "https://a.test/", "https://a.test/v1", "https://user@a.test", "https://", "a.test", "ftp://a.test",
    "https://a.test:0", "https://a.test:65536", "https://a.test?x", "https://a b", "https://a%2fb",
    "https://a~b", "https://[::1", "",
    "https://../x",
  ])
  func `what is no origin is refused`(text: String) throws {
    try folder.write("c/cassette.json", #"{"tapedeck": 2, "origins": []}"#)
    try folder.write("c/a.test/x.json", Self.file.replacing("https://a.test", with: text))
    for reading in [InteractionReading.atOnce, .whenAsked(above: 0)] {
      let error = #expect(throws: CassetteError.self) { try Cassette.load(folder("c"), reading: reading) }
      #expect(
        "\(error.map { "\($0)" } ?? "")".contains("an origin like https://api.example.com is expected here"))
    }
  }

  @Test func `the folder of any host is a plain name in the cassette`() throws {
    let hosts = [
      "..", ".", ".a", "-rf", "bodies", "x.json", "journal.jsonl", "[::1]", "[::ffff:1.2.3.4]", "a..", "_",
      String(repeating: "a", count: 4000), "cassette.json",
    ]
    for host in hosts {
      for port in ["", ":8443"] {
        let origin = try #require(HTTPOrigin(.https, authority: Array((host + port).utf8)), "\(host)")
        let name = CassetteNames.folder(of: origin)
        #expect(CassetteNames.isFolder(name) && !name.contains("/") && name.utf8.count < 250, "\(name)")
        #expect(CassetteNames.parse("\(name)/get-x-abcdef.json") == ("\(name)/get-x-abcdef", 1))
        _ = try seal([from("https://\(host)\(port)")])
      }
    }
    #expect(try Cassette.load(folder("c")).count == 26)
    #expect(try folder.names(of: ".") == ["c"])
  }

  @Test func `a link in place of a host's folder is not followed`() throws {
    _ = try seal([from("https://a.test")])
    try folder.write("outside/get-users-1.json", "{}")
    try folder.delete("c/a.test")
    #expect(symlink(folder("outside"), folder("c/a.test")) == 0)
    #expect(throws: CassetteError.self) { _ = try seal([from("https://a.test")]) }
    #expect(try folder.names(of: "outside") == ["get-users-1.json"])
  }

  // MARK: Near misses

  @Test func `a near miss names the origin, and prefers the same`() throws {
    _ = try seal([
      from("https://a.test", "/users/1"), from("https://b.test", "/users/2"),
      from("http://b.test", "/users/1"),
    ])
    let cassette = try Cassette.load(folder("c"))
    let misses = try cassette.nearest(to: request("https://b.test", "/users/1"))
    #expect(
      misses.map { $0.differences.map(\.description) } == [
        ["origin: http://b.test → https://b.test"], ["path: /users/2 → /users/1"],
        ["origin: https://a.test → https://b.test"],
      ])
  }

  @Test func `variants and clients are those of one origin`() throws {
    var ranged = try from("https://a.test")
    ranged.request.fields = fields([("Host", "a.test"), ("Range", "bytes=0-1")])
    ranged.response.head.status = 206
    _ = try seal([ranged, from("https://b.test")])
    let cassette = try Cassette.load(folder("c"))
    #expect(try cassette.sequence(for: request("https://a.test")) == nil)
    #expect(try cassette.substitute(for: request("https://a.test")) == nil)
    var asked = try request("https://b.test")
    asked.fields = ranged.request.fields
    #expect(cassette.substitute(for: asked) != nil)
  }

  // MARK: Redaction

  @Test func `the key of the placeholders does not depend on the first origin`() throws {
    let secret = "Bearer sk_live_51H8xKjL0aB3dE7fG9hJ2kM4n"
    for (name, origin) in [("c", "https://a.test"), ("d", "https://b.test")] {
      var interaction = try from(origin)
      interaction.request.fields = fields([("Authorization", secret)])
      _ = try seal([interaction], name)
    }
    let placeholders = try ["c", "d"].map { name in
      try Cassette.load(folder(name)).interactions[0].interaction.request.fields.first("authorization").map(
        Array.init)
    }
    #expect(placeholders[0] == placeholders[1])
    #expect(placeholders[0] != Array(secret.utf8))
  }

  @Test func `a host that looks like a secret stays, and is told of`() throws {
    let secret = "ghp_a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6q7r8"
    let finds = try seal([from("https://\(secret).test")]).finds
    #expect(finds.map(\.place) == ["origin"])
    #expect(finds.allSatisfy { $0.file.hasPrefix("…/get-users-") })
    let cassette = try Cassette.load(folder("c"))
    #expect(cassette.origins == ["https://\(secret).test"])
    #expect(try cassette.sequence(for: request("https://\(secret).test")) != nil)
  }

  @Test func `both readers read the origin alike`() throws {
    _ = try seal(
      (0..<20).map { try from("https://h\($0 % 3).test", "/\($0)", "POST", sends: "{\"a\":\($0)}") })
    let whole = try Cassette.load(folder("c"))
    let outlined = try Cassette.load(folder("c"), reading: .whenAsked(above: 0))
    #expect(whole.interactions.map(\.recorded) == outlined.interactions.map(\.recorded))
    #expect(whole.interactions.map(\.fileName) == outlined.interactions.map(\.fileName))
    #expect(try outlined.interactions.map { try $0.read() } == whole.interactions.map(\.interaction))
    #expect(whole.origins == outlined.origins)
  }

  @Test func `a cassette is listed with its origins`() throws {
    _ = try seal([from("https://a.test"), from("https://b.test"), from("https://b.test")])
    let summary = try #require(try CassetteSummary.all(in: folder(".")).first)
    #expect(summary.interactions == 3 && summary.upstream == nil && summary.bytes > 900)
    #expect(summary.origins == ["https://a.test", "https://b.test"])
  }
}
