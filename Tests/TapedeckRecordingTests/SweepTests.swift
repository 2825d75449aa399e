import Foundation
import Glibc
import RecordingTestSupport
import TapedeckHTTP
import Testing

@testable import TapedeckRecording
@testable import TapedeckRedaction

/// A cassette of 64 KiB, cut at every byte and with every bit flipped (C09).
///
/// What can be promised differs by who owns the bytes. The journal and `bodies/` are ours and checksummed: any change
/// is an error, or leaves entries out from the end of the journal with a warning. Interaction files and the manifest
/// are texts that people edit: a changed bit is an error naming the file, or else an edit, and then exactly what a
/// person who had typed it would get: that file's answer, changed in the member where the bit lies and nowhere else,
/// saying when written again what it said when read, and every other answer untouched.
@Suite(.serialized) struct SweepTests {
  /// One change to one file.
  enum Change: Equatable {
    case cut
    case flip(bit: Int)
  }

  @Test("C09 every cut and every flipped bit: an error, fewer entries, or an edit")
  func sweep() throws {
    let folder = try TemporaryDirectory()
    let swept = try SweptCassette(folder)
    #expect((60_000...70_000).contains(swept.totalBytes), "\(swept.totalBytes)")
    let stride = LimitTests.isLong ? 1 : 997
    var counts: [String: Int] = [:]
    var number = 0
    for file in swept.files {
      for offset in file.bytes.indices {
        for place in 0..<9 {
          number += 1
          guard number % stride == 0 else { continue }
          let change: Change = place == 0 ? .cut : .flip(bit: place - 1)
          let outcome = try swept.check(file, offset, change)
          counts["\(file.kind) \(place == 0 ? "cut" : "flip"): \(outcome)", default: 0] += 1
        }
      }
    }
    for (what, count) in counts.sorted(by: { $0.key < $1.key }) { print("C09: \(what): \(count)") }
    #expect(counts.keys.filter { $0.contains("wrong") } == [])
    #expect(counts.keys.contains { $0.hasPrefix("journal flip: fewer") } || !LimitTests.isLong)
  }
}

/// The cassette, what it answers, and the law for each of its files.
private final class SweptCassette {
  enum Kind: String { case interaction, manifest, body, journal }

  struct File {
    var name: String
    var kind: Kind
    var bytes: [UInt8]
    /// Where the members `request`, `response` and `volatile` begin.
    var members: [(offset: Int, name: String)] = []
  }

  private let folder: TemporaryDirectory
  private(set) var files: [File] = []
  private let answers: [String: Interaction]
  /// What is loaded when the journal holds its first n records.
  private var prefixes: [[String: Interaction]] = []

  var totalBytes: Int { files.map(\.bytes.count).reduce(0, +) }

  init(_ folder: TemporaryDirectory) throws {
    self.folder = folder
    try record(Self.sealed, into: folder("c"))
    do {
      let recorder = try CassetteRecorder.open(testing: folder("c"), replacing: true)
      for interaction in Self.journaled { try recorder.record(interaction) }
    }
    answers = try Self.load(folder).interactions
    for (name, bytes) in try folder.contents(of: "c").sorted(by: { $0.key < $1.key }) {
      files.append(Self.file(name, bytes))
    }
    try collectPrefixes()
  }

  private static var sealed: [Interaction] {
    var all = (0..<16).map { index in
      exchange(
        "POST", "/items/\(index)?page=\(index)",
        headers: [("Accept", "*/*"), ("Content-Type", "application/json")],
        sends: Array(#"{"a":[1,2.50,"\u00e9"],"n":\#(index)}"#.utf8),
        answers: [("Content-Type", "application/json"), ("Date", "now"), ("ETag", "\"\(index)\"")],
        body: Array(#"{"id": \#(index), "name": "item", "tags": ["a", "b", null, true]}"#.utf8),
        chunks: [10, 10, 10])
    }
    all += (0..<8).map {
      exchange("GET", "/text/\($0)", body: Array("line\nand\n\(String(repeating: "x", count: 400))".utf8))
    }
    all += [3, 5].map { seed in
      exchange("GET", "/binary/\(seed)", body: (0..<12_900).map { UInt8(truncatingIfNeeded: $0 &* seed) })
    }
    return all
  }

  private static var journaled: [Interaction] {
    (0..<28).map {
      exchange("PUT", "/late/\($0 % 20)", body: Array("\($0) \(String(repeating: "y", count: 240))".utf8))
    }
  }

  private static func file(_ name: String, _ bytes: [UInt8]) -> File {
    let kind: Kind =
      name == CassetteNames.manifest
      ? .manifest
      : name == CassetteNames.journal ? .journal : name.hasPrefix("bodies/") ? .body : .interaction
    var file = File(name: name, kind: kind, bytes: bytes)
    let text = String(decoding: bytes, as: UTF8.self)
    for member in ["request", "response", "volatile"] {
      guard let range = text.utf8.firstRange(of: "\n  \"\(member)\"".utf8) else { continue }
      file.members.append((text.utf8.distance(from: text.utf8.startIndex, to: range.lowerBound), member))
    }
    return file
  }

  private static func load(
    _ folder: TemporaryDirectory
  ) throws(CassetteError) -> (interactions: [String: Interaction], warnings: [String]) {
    let cassette = try Cassette.load(folder("c"))
    let pairs = cassette.interactions.map { ($0.fileName, $0.interaction) }
    return (Dictionary(pairs) { first, _ in first }, cassette.warnings)
  }

  private func collectPrefixes() throws {
    guard let journal = files.first(where: { $0.kind == .journal }) else { return }
    for end in journal.bytes.indices where journal.bytes[end] == 0x0A {
      try folder.write("c/\(journal.name)", journal.bytes[...end])
      prefixes.append(try Self.load(folder).interactions)
    }
    try folder.write("c/\(journal.name)", journal.bytes)
    #expect(prefixes.count == Self.journaled.count + 1)
  }

  /// Makes the change, loads, undoes it, and says what came of it.
  func check(_ file: File, _ offset: Int, _ change: SweepTests.Change) throws -> String {
    try apply(change, to: file, at: offset)
    defer { try? restore(file) }
    do throws(CassetteError) {
      let loaded = try Self.load(folder)
      let outcome = verdict(file, offset, change, loaded.interactions, loaded.warnings)
      if outcome == "wrong" { Issue.record("\(file.name) at \(offset): \(change)") }
      return outcome
    } catch {
      let names = error.description.contains(file.kind == .body ? "bodies/" : file.name)
      if !names { Issue.record("\(file.name) at \(offset): \(change): \(error)") }
      return names ? "error" : "wrong error"
    }
  }

  private func apply(_ change: SweepTests.Change, to file: File, at offset: Int) throws {
    guard case .flip(let bit) = change else {
      try #require(truncate(folder("c/\(file.name)"), off_t(offset)) == 0)
      return
    }
    let descriptor = open(folder("c/\(file.name)"), O_WRONLY | O_CLOEXEC)
    defer { close(descriptor) }
    var byte = file.bytes[offset] ^ 1 << UInt8(bit)
    try #require(pwrite(descriptor, &byte, 1, off_t(offset)) == 1)
  }

  private func restore(_ file: File) throws {
    let descriptor = open(folder("c/\(file.name)"), O_WRONLY | O_CLOEXEC)
    defer { close(descriptor) }
    try #require(pwrite(descriptor, file.bytes, file.bytes.count, 0) == file.bytes.count)
  }

  private func verdict(
    _ file: File, _ offset: Int, _ change: SweepTests.Change, _ loaded: [String: Interaction],
    _ warnings: [String]
  ) -> String {
    switch file.kind {
    case .body: return "wrong"
    case .manifest: return loaded == answers ? "an edit beside the answers" : "wrong"
    case .journal: return journalVerdict(file, offset, change, loaded, warnings)
    case .interaction:
      var (others, original) = (loaded, answers)
      guard let edited = others.removeValue(forKey: file.name),
        let before = original.removeValue(forKey: file.name),
        others == original, warnings.isEmpty
      else { return "wrong" }
      if edited == before { return "no difference" }
      return change != .cut && isEdit(edited, of: before, in: file, at: offset) ? "an edit" : "wrong"
    }
  }

  private func journalVerdict(
    _ file: File, _ offset: Int, _ change: SweepTests.Change, _ loaded: [String: Interaction],
    _ warnings: [String]
  ) -> String {
    let isBetweenLines = offset == 0 || file.bytes[offset - 1] == 0x0A || file.bytes[offset] == 0x0A
    if loaded == prefixes.last {
      return change == .cut && offset == file.bytes.count - 1 ? "no difference" : "wrong"
    }
    guard prefixes.contains(loaded) || loaded == answersWithoutJournal else { return "wrong" }
    guard warnings.count == 1 || change == .cut && isBetweenLines else { return "wrong" }
    return "fewer entries"
  }

  private var answersWithoutJournal: [String: Interaction]? { prefixes.first }

  /// Whether only the member where the byte stands has changed, and what was read is written so again.
  private func isEdit(_ edited: Interaction, of before: Interaction, in file: File, at offset: Int) -> Bool {
    guard let after = tree(edited), let original = tree(before), let again = reread(after), again == edited
    else {
      return false
    }
    let member = file.members.last { $0.offset <= offset }?.name
    return ["request", "response", "volatile"].allSatisfy { name in
      after[name] == original[name] || name == member
        || name == "response" && member == "volatile" && edited.response.body == before.response.body
    }
  }

  private func tree(_ interaction: Interaction) -> JSONValue? {
    try? InteractionFormat.encode(interaction) { body throws(CassetteError) in
      BodyFile(
        name: BodyFile.name(digest: SHA256Digest(of: body)), size: body.count,
        directory: try CassetteDirectory(opening: self.folder("c")))
    }
  }

  private func reread(_ tree: JSONValue) -> Interaction? {
    guard let directory = try? CassetteDirectory(opening: folder("c")),
      let value = try? JSONValue(parsing: InteractionFormat.fileBytes(tree))
    else { return nil }
    let reader = CassetteReader(directory, matcher: RequestMatcher())
    return try? reader.interaction(value, name: "x.json", in: "x.json").interaction
  }
}
