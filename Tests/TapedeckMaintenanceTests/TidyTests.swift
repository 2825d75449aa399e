import Foundation
import RecordingTestSupport
import TapedeckHTTP
import TestSupport
import Testing

@testable import TapedeckFormats
@testable import TapedeckMaintenance
@testable import TapedeckRecording
@testable import TapedeckRedaction

private func answered(_ target: String, _ text: String) -> Interaction {
  exchange("GET", target, body: Array(text.utf8))
}

/// What each request gets, in order: `/a: 1, 2`.
func replayed(_ path: String) throws -> [String: [String]] {
  var texts: [String: [String]] = [:]
  let cassette = try Cassette.load(path)
  for stored in cassette.interactions {
    let target = stored.interaction.request.targetText
    texts[target] = cassette.sequence(for: stored.interaction.request)?.interactions.map { stored in
      guard case .bytes(let bytes) = stored.interaction.response.body else { return "file" }
      return String(decoding: bytes, as: UTF8.self)
    }
  }
  return texts
}

private func names(_ path: String) throws -> [String] { try Cassette.load(path).interactions.map(\.fileName) }

@Suite struct TidyPlanTests {
  private static let (first, second) = (SHA256Digest(of: [1]), SHA256Digest(of: [2]))

  /// Files `name rank`, all of one key, or of the second where the name starts with `other`.
  private static func files(_ names: [String]) -> [TidyPlan.File] {
    names.enumerated().map { rank, name in
      TidyPlan.File(name: name, digest: name.hasPrefix("other") ? second : first, prefix: "get-a", rank: rank)
    }
  }

  private static func told(_ plan: TidyPlan) -> [String] {
    plan.removals.map { "- \($0)" } + plan.steps.map { "\($0.old) > \($0.new)" }
  }

  @Test(
    arguments: [
      (
        ["a.json", "a.2.json", "a.3.json"], ["a.json"],
        ["- a.json", "a.2.json > a.json", "a.3.json > a.2.json"]
      ),
      (["a.json", "a.2.json", "a.3.json"], ["a.2.json"], ["- a.2.json", "a.3.json > a.2.json"]),
      (["a.json", "a.2.json"], ["a.2.json"], ["- a.2.json"]),
      (["a.json", "a.2.json"], [], []),
      // What nobody touched stays as it is.
      (["a.2.json", "a.4.json"], [], []),
      (["a.json", "other.2.json"], ["a.json"], ["- a.json"]),
      // Two names for one request become one, so that their order no longer hangs on anything.
      (["x.json", "a.json", "a.2.json"], ["a.json"], ["- a.json", "a.2.json > x.2.json"]),
    ] as [([String], [String], [String])])
  func `what was left out closes up`(names: [String], removing: [String], expected: [String]) {
    #expect(Self.told(TidyPlan(Self.files(names), removing: Set(removing), followsKeys: false)) == expected)
  }

  @Test func `names follow from keys`() {
    let (own, other) = ("get-a-\(Self.first.hex.prefix(6))", "get-a-\(Self.second.hex.prefix(6))")
    #expect(
      Self.told(TidyPlan(Self.files(["x.json", "y.7.json", "other.json"]), followsKeys: true)) == [
        "x.json > \(own).json", "y.7.json > \(own).2.json", "other.json > \(other).json",
      ])
    #expect(Self.told(TidyPlan(Self.files(["\(own).json", "\(own).2.json"]), followsKeys: true)) == [])
  }

  @Test func `files in each other's way step aside`() {
    let (own, other) = ("get-a-\(Self.first.hex.prefix(6)).json", "get-a-\(Self.second.hex.prefix(6)).json")
    let files = [
      TidyPlan.File(name: other, digest: Self.first, prefix: "get-a", rank: 0),
      TidyPlan.File(name: own, digest: Self.second, prefix: "get-a", rank: 0),
    ]
    let plan = TidyPlan(files, followsKeys: true)
    var standing = Set(files.map(\.name))
    for step in plan.steps {
      #expect(standing.remove(step.old) != nil)
      #expect(standing.insert(step.new).inserted, "\(step) would replace a file")
    }
    #expect(standing == [own, other])
    #expect(plan.steps.count == 3)
    #expect(plan.renames.count == 2)
  }

  @Test(.timeLimit(.minutes(1))) func `many renames take no time that grows with their square`() {
    let names = (1...30_000).map { CassetteNames.name(stem: "x", ordinal: $0 + 1) }
    #expect(TidyPlan(Self.files(names), followsKeys: true).steps.count == names.count)
  }

  @Test func `seeded plans never replace a file, whatever the names`() throws {
    var luck = SeededGenerator(4)
    for _ in 0..<300 {
      let pool = ["a", "b", "c", "get-a-\(Self.first.hex.prefix(6))", "get-a-\(Self.second.hex.prefix(6))"]
      let all = pool.flatMap { stem in [1, 2, 3].map { CassetteNames.name(stem: stem, ordinal: $0) } }
      let chosen = all.shuffled(using: &luck).prefix(Int.random(in: 1...9, using: &luck))
      let files = chosen.enumerated().map { rank, name in
        TidyPlan.File(
          name: name, digest: Bool.random(using: &luck) ? Self.first : Self.second, prefix: "get-a",
          rank: rank)
      }
      let removing = Set(chosen.filter { _ in Bool.random(using: &luck) })
      for follows in [true, false] {
        let plan = TidyPlan(files, removing: removing, followsKeys: follows)
        var standing = Set(chosen).subtracting(plan.removals)
        for step in plan.steps {
          #expect(standing.remove(step.old) != nil, "\(step) of \(files)")
          #expect(standing.insert(step.new).inserted, "\(step) of \(files)")
        }
        #expect(standing.count == chosen.count - removing.count)
      }
    }
  }
}

@Suite struct TrimmingTests {
  @Test func `responses under two stems are replayed by their numbers, whenever they were recorded`() throws {
    let folder = try TemporaryDirectory()
    for (name, hour) in [("post-graphql-abc.json", "09"), ("post-graphql-getuser-abc.2.json", "08")] {
      try folder.write(
        "c/\(name)",
        """
        {"request": {"method": "POST", "target": "/graphql"},
         "response": {"status": 200, "body": {"text": "\(hour)"}},
         "volatile": {"recordedAt": "2026-11-21T\(hour):00:00.000000Z"}}
        """)
    }
    try folder.write("c/cassette.json", #"{"tapedeck": 1}"#)
    #expect(try replayed(folder("c")) == ["/graphql": ["09", "08"]])
  }

  @Test func `a response that is never replayed keeps its number`() throws {
    let folder = try TemporaryDirectory()
    try record([200, 304, 200].map { exchange("GET", "/a", status: $0, body: []) }, into: folder("c"))
    let cassette = try Cassette.load(folder("c"))
    #expect(cassette.planned.map(\.rank) == [0, 1, 2])
    let order = cassette.recordedOrder
    let places = try cassette.interactions.map {
      try ExportedInteraction($0, url: "", among: order[$0.key] ?? [])
    }
    #expect(places.map(\.number) == [1, 2, 3] && places.map(\.count) == [3, 3, 3])
  }

  private func recorded() throws -> TemporaryDirectory {
    let folder = try TemporaryDirectory()
    let large = exchange("GET", "/large", body: [UInt8](repeating: 0, count: 5000))
    try record(
      [answered("/a", "1"), answered("/a", "2"), answered("/a", "3"), answered("/b", "b"), large],
      into: folder("c"))
    return folder
  }

  private func names(of target: String, in path: String) throws -> [String] {
    try Cassette.load(path).interactions.filter { $0.interaction.request.targetText == target }.map(
      \.fileName)
  }

  @Test func `what was not used goes, with its body, and the rest replays as before`() throws {
    let folder = try recorded()
    let unused = [try names(of: "/a", in: folder("c"))[0], try names(of: "/large", in: folder("c"))[0]]
    let known = Set(try TapedeckMaintenanceTests.names(folder("c")))
    let rehearsal = try CassetteTidying(
      trimming: folder("c"), unused: Set(unused), known: known, isRehearsal: true)
    #expect(Set(try TapedeckMaintenanceTests.names(folder("c"))) == known)
    let done = try CassetteTidying(
      trimming: folder("c"), unused: Set(unused), known: known, isRehearsal: false)
    #expect(done.removed == unused.sorted())
    #expect(done.removed == rehearsal.removed)
    #expect(done.removedBodies == 1)
    #expect(done.keptCount == 3)
    #expect(try replayed(folder("c")) == ["/a": ["2", "3"], "/b": ["b"]])
    #expect(!folder.exists("c/bodies"))
    #expect(!folder.exists("c/journal.jsonl"))
    #expect(try CassetteLint(folder("c"), now: 0).findings == [])
  }

  @Test func `a report on another state of the cassette is refused`() throws {
    let folder = try recorded()
    let known = Set(try TapedeckMaintenanceTests.names(folder("c")))
    let unused = Set(try names(of: "/a", in: folder("c")).prefix(1))
    _ = try CassetteTidying(trimming: folder("c"), unused: unused, known: known, isRehearsal: false)
    let before = try folder.contents(of: "c")
    // The first of /a is now what was the second: a second time the report would mean another response.
    let error = #expect(throws: CassetteError.self) {
      try CassetteTidying(trimming: folder("c"), unused: unused, known: known, isRehearsal: false)
    }
    #expect(error?.description.contains("came or went since") == true)
    #expect(try folder.contents(of: "c") == before)
  }

  @Test func `a report that used nothing is refused`() throws {
    let folder = try recorded()
    let known = Set(try TapedeckMaintenanceTests.names(folder("c")))
    #expect(throws: CassetteError.self) {
      try CassetteTidying(trimming: folder("c"), unused: known, known: known, isRehearsal: false)
    }
    #expect(Set(try TapedeckMaintenanceTests.names(folder("c"))) == known)
  }

  @Test func `what somebody records into is left alone`() throws {
    let folder = try recorded()
    let known = Set(try TapedeckMaintenanceTests.names(folder("c")))
    let recorder = try CassetteRecorder.open(testing: folder("c"))
    let error = #expect(throws: CassetteError.self) {
      try CassetteTidying(
        trimming: folder("c"), unused: Set(known.prefix(1)), known: known, isRehearsal: false)
    }
    #expect(error?.description.contains("is being recorded into") == true)
    _ = try recorder.seal()
    #expect(Set(try TapedeckMaintenanceTests.names(folder("c"))) == known)
  }

  @Test func `no cassette is made by trimming`() throws {
    let folder = try TemporaryDirectory()
    #expect(throws: CassetteError.absent(directory: folder("none"))) {
      try CassetteTidying(trimming: folder("none"), unused: [], known: [], isRehearsal: false)
    }
    #expect(!folder.exists("none"))
  }

  @Test func `interrupted after any step it gives what is kept in its order`() throws {
    let whole = try recorded()
    let unused = Set(try names(of: "/a", in: whole("c")).prefix(1))
    let plan = TidyPlan(try Cassette.load(whole("c")).planned, removing: unused, followsKeys: false)
    for count in 0...plan.steps.count {
      try whole.copy("c", to: "half")
      let files = FileManager.default
      for name in plan.removals { try files.removeItem(atPath: whole("half/\(name)")) }
      for step in plan.steps.prefix(count) {
        try files.moveItem(atPath: whole("half/\(step.old)"), toPath: whole("half/\(step.new)"))
      }
      #expect(try replayed(whole("half"))["/a"] == ["2", "3"], "after \(count) steps")
    }
  }
}

@Suite struct MergeTests {
  private func merged(
    _ sessions: [[Interaction]], _ preference: CassetteMerge.Preference = .both, inPlace: Bool = false
  ) throws -> (TemporaryDirectory, CassetteMerge) {
    let folder = try TemporaryDirectory()
    for (index, session) in sessions.enumerated() { try record(session, into: folder("\(index)")) }
    let merge = try CassetteMerge(
      try sessions.indices.map { try Cassette.load(folder("\($0)")) }, preferring: preference)
    _ = try merge.write(into: folder(inPlace ? "0" : "c"))
    if inPlace { try folder.copy("0", to: "c") }
    return (folder, merge)
  }

  @Test(arguments: [false, true])
  func `each request keeps its responses, equal ones once`(inPlace: Bool) throws {
    let (folder, merge) = try merged(
      [[answered("/a", "1"), answered("/b", "b")], [answered("/b", "b"), answered("/c", "c")]],
      inPlace: inPlace)
    #expect(try replayed(folder("c")) == ["/a": ["1"], "/b": ["b"], "/c": ["c"]])
    #expect(merge.equalCount == 1)
    #expect(merge.conflicts.isEmpty)
    #expect(try CassetteLint(folder("c"), now: 0).findings == [])
  }

  @Test(
    arguments: [
      (.both, ["1", "2", "3"]), (.first, ["1", "2"]), (.last, ["1", "3"]),
    ] as [(CassetteMerge.Preference, [String])], [false, true])
  func `where they disagree somebody has said whose stay`(
    row: (CassetteMerge.Preference, [String]), inPlace: Bool
  ) throws {
    let (folder, merge) = try merged(
      [[answered("/a", "1"), answered("/a", "2")], [answered("/a", "1"), answered("/a", "3")]], row.0,
      inPlace: inPlace)
    #expect(try replayed(folder("c")) == ["/a": row.1])
    #expect(merge.conflicts.map(\.recorded.request.targetText) == ["/a"])
  }

  @Test(arguments: CassetteMerge.Preference.allCases)
  func `one that goes on where the other ends is no conflict`(preference: CassetteMerge.Preference) throws {
    let (folder, merge) = try merged(
      [[answered("/a", "1")], [answered("/a", "1"), answered("/a", "2")], [answered("/a", "1")]], preference)
    #expect(try replayed(folder("c")) == ["/a": ["1", "2"]])
    #expect(merge.conflicts.isEmpty)
  }

  @Test func `bodies and people's own members come along`() throws {
    let folder = try TemporaryDirectory()
    let body = (0..<5000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    try record([exchange("GET", "/large", body: body)], into: folder("b"))
    let name = try names(folder("b"))[0]
    try folder.write(
      "b/\(name)", "{\n  \"_note\": \"why it is here\"," + (try folder.text("b/\(name)")).dropFirst())
    try record([answered("/a", "1")], into: folder("a"))
    let merge = try CassetteMerge(
      [try Cassette.load(folder("a")), try Cassette.load(folder("b"))], preferring: .both)
    _ = try merge.write(into: folder("a"))
    #expect(try folder.text("a/\(name)").contains("why it is here"))
    let last = try Cassette.load(folder("a")).interactions.last
    #expect(last?.interaction.response.body == .bytes(body))
    #expect(try folder.names(of: "a/bodies").count == 1)
  }

  @Test func `what is there already is not replaced`() throws {
    let folder = try TemporaryDirectory()
    for name in ["a", "b", "c"] { try record([answered("/\(name)", "1")], into: folder(name)) }
    let merge = try CassetteMerge(
      [try Cassette.load(folder("a")), try Cassette.load(folder("b"))], preferring: .both)
    let before = try folder.contents(of: "c")
    #expect(throws: CassetteError.self) { try merge.write(into: folder("c")) }
    #expect(try folder.contents(of: "c") == before)
  }

  @Test func `other rules are refused, other origins are told`() throws {
    let folder = try TemporaryDirectory()
    for name in ["a", "b", "c"] { try record([answered("/\(name)", "1")], into: folder(name)) }
    try folder.write("b/cassette.json", #"{"tapedeck": 1, "match": ["method", "path"]}"#)
    try folder.write("c/cassette.json", #"{"tapedeck": 1, "upstream": "http://other.test", "_note": "mine"}"#)
    let (a, b, c) = (
      try Cassette.load(folder("a")), try Cassette.load(folder("b")), try Cassette.load(folder("c"))
    )
    let error = #expect(throws: CassetteError.self) { try CassetteMerge([a, b], preferring: .both) }
    #expect(error?.description.contains("by other rules") == true)
    #expect(try CassetteMerge([a, c], preferring: .both).warnings.count == 1)
  }

  @Test func `what the first hides is hidden in what comes from the second`() throws {
    let folder = try TemporaryDirectory()
    let secret = exchange(
      "GET", "/b", headers: [("Authorization", "Bearer abcdefghijklmnopqrstuvwxyz0123456789")])
    try record([answered("/a", "1")], into: folder("a"))
    let raw = try CassetteRecorder.open(
      folder("b"), origins: .one("http://origin.test"), replacing: false,
      redaction: RedactionChoice(isOff: true),
      isDurable: false)
    try raw.record(secret, arrival: 0)
    _ = try raw.seal()
    let merge = try CassetteMerge(
      [try Cassette.load(folder("a")), try Cassette.load(folder("b"))], preferring: .both)
    _ = try merge.write(into: folder("c"))
    for file in try folder.contents(of: "c").values {
      #expect(!String(decoding: file, as: UTF8.self).contains("abcdefghijklmnop"))
    }
    #expect(try Cassette.load(folder("c")).sequence(for: secret.request) != nil)
  }

  @Test func `what was hidden under another key is refused where it would not match`() throws {
    let folder = try TemporaryDirectory()
    func record(_ name: String, upstream: String, _ target: String) throws {
      let recorder = try CassetteRecorder.open(
        folder(name), origins: .one(upstream), replacing: false, isDurable: false)
      try recorder.record(exchange("GET", target), arrival: 0)
      _ = try recorder.seal()
    }
    try record("a", upstream: "http://a.test", "/a")
    try record("b", upstream: "http://b.test", "/b")
    try record("c", upstream: "http://c.test", "/c?api_key=abcdefghijklmnopqrstuvwxyz0123456789")
    let (a, b, c) = (
      try Cassette.load(folder("a")), try Cassette.load(folder("b")), try Cassette.load(folder("c"))
    )
    #expect(try CassetteMerge([a, b], preferring: .both).count == 2)
    let error = #expect(throws: CassetteError.self) { try CassetteMerge([a, c], preferring: .both) }
    #expect(error?.description.contains("redacted by other rules") == true)
  }

  @Test func `a new cassette takes the rules along`() throws {
    let folder = try TemporaryDirectory()
    for name in ["a", "b"] {
      try record([answered("/\(name)?ts=1", "1")], into: folder(name))
      try folder.write(
        "\(name)/cassette.json", #"{"tapedeck": 1, "match": ["method", "path", "query", "query:ignore=ts"]}"#)
    }
    let merge = try CassetteMerge(
      [try Cassette.load(folder("a")), try Cassette.load(folder("b"))], preferring: .both)
    _ = try merge.write(into: folder("c"))
    #expect(try Cassette.load(folder("c")).matcher == Cassette.load(folder("a")).matcher)
    #expect(try Cassette.load(folder("c")).count == 2)
  }
}
