import RecordingTestSupport
import TapedeckHTTP
import TestSupport
import Testing

@testable import TapedeckRecording
@testable import TapedeckRedaction

/// A cassette whose answers are read when they are first asked for: loaded with the same checks, and never another
/// answer than what was there when it was loaded.
@Suite struct WhenAskedTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func load() throws(CassetteError) -> Cassette {
    try Cassette.load(folder("c"), reading: .whenAsked(above: 0))
  }

  @Test func `answers are those of a cassette that is read at once`() throws {
    var generator = SeededGenerator(3)
    // Enough for several threads, with what stands beside the files, twice what has one key, and a journal.
    var interactions = (0..<600).map { _ in Interaction.random(&generator) }
    interactions += [
      exchange("GET", "/binary", body: (0..<5000).map { UInt8(truncatingIfNeeded: $0) }),
      exchange("GET", "/large", body: Array(repeating: 7, count: 2 << 20)),
      exchange("PUT", "/large", sends: Array(repeating: 8, count: 2 << 20)),
    ]
    try record(interactions, into: folder("c"))
    try folder.write(
      "c/by-hand.json",
      #"{"response": {"status": 404, "_why": "mine"}, "request": {"target": "/hand", "method": "GET"}}"#)
    do {
      let recorder = try CassetteRecorder.open(testing: folder("c"))
      try recorder.record(exchange("GET", "/journaled"))
    }
    let (whole, asked) = (try Cassette.load(folder("c")), try load())
    #expect(whole.count > 100)
    #expect(asked.interactions.map(\.fileName) == whole.interactions.map(\.fileName))
    #expect(asked.interactions.map(\.key) == whole.interactions.map(\.key))
    #expect(asked.interactions.map(\.recorded) == whole.interactions.map(\.recorded))
    #expect(asked.interactions.map(\.status) == whole.interactions.map(\.status))
    for (left, right) in zip(asked.interactions, whole.interactions) {
      #expect(try left.read() == right.interaction, "\(left.fileName)")
    }
  }

  @Test func `what is wrong is found when it is loaded, the first of it by name`() throws {
    try record((0..<500).map { exchange("GET", "/\($0)") }, into: folder("c"))
    let names = try folder.names(of: "c").filter(CassetteNames.isInteraction)
    for (number, change) in [(300, "\"status\": 20"), (420, "\"status\": ")] {
      let text = try folder.text("c/\(names[number])")
      try folder.write("c/\(names[number])", text.replacing("\"status\": 200", with: change))
    }
    let whole = #expect(throws: CassetteError.self) { try Cassette.load(folder("c")) }
    let asked = #expect(throws: CassetteError.self) { try load() }
    #expect(asked == whole)
    #expect(asked?.description.contains(names[300]) == true, "\(String(describing: asked))")
  }

  @Test func `a file that has changed or gone is an error, not another answer`() throws {
    try record([exchange("GET", "/a"), exchange("GET", "/b"), exchange("GET", "/c")], into: folder("c"))
    let cassette = try load()
    let files = cassette.interactions.map { "c/\($0.fileName)" }
    #expect(try cassette.interactions[0].read().response.body == .bytes(Array("hello\n".utf8)))
    for file in files.dropLast() {
      try folder.write(file, try folder.text(file).replacing("hello", with: "hullo"))
    }
    try folder.delete(files[2])
    // The first was asked for before.
    #expect(try cassette.interactions[0].read().response.body == .bytes(Array("hello\n".utf8)))
    for number in 1...2 {
      let error = #expect(throws: CassetteError.self) { try cassette.interactions[number].read() }
      #expect(error == .changedSinceLoaded(file: folder(files[number])))
      #expect(cassette.interactions[number].interaction.response.head.status == 500)
    }
    // The same content again is the same file, whoever wrote it.
    try folder.write(files[1], try folder.text(files[1]).replacing("hullo", with: "hello"))
    #expect(try cassette.interactions[1].read().response.body == .bytes(Array("hello\n".utf8)))
  }

  @Test func `nothing of an answer is held before it is asked for`() throws {
    try record([exchange("GET", "/a")], into: folder("c"))
    let answer = try #require(try load().interactions.first)
    #expect(!answer.isHeld)
    _ = try answer.read()
    #expect(answer.isHeld)
    let whole = try #require(try Cassette.load(folder("c")).interactions.first)
    #expect(whole.isHeld)
  }
}
