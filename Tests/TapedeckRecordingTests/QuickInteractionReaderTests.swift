import Foundation
import RecordingTestSupport
import TapedeckHTTP
import TestSupport
import Testing

@testable import TapedeckRecording
@testable import TapedeckRedaction

/// Loading takes from a file no more than choosing an answer needs (`QuickInteractionReader`). Held against the reader that takes
/// all of it: both refuse, or both take the same; and what is written by us is taken without that reader.
@Suite struct QuickInteractionReaderTests {
  private let folder: TemporaryDirectory
  private let loader: BodyLoader
  private let lastFields = LastFields()

  init() throws {
    folder = try TemporaryDirectory()
    try folder.write("c/cassette.json", "{}")
    loader = BodyLoader(directory: try CassetteDirectory(opening: folder("c")))
  }

  private func scanned(_ bytes: [UInt8]) -> InteractionOutline? {
    bytes.withUnsafeBytes { QuickInteractionReader.outline(of: $0, loader: loader, lastFields: lastFields) }
  }

  private func decoded(_ bytes: [UInt8]) throws(CassetteError) -> Interaction {
    try InteractionFormat.decode(
      try JSONFile.parse(bytes, file: "file"), in: "file", loader: loader)
  }

  /// Whether the scan took the file; a difference from the full reader is an issue.
  @discardableResult
  private func isTaken(_ bytes: [UInt8], _ what: @autoclosure () -> String) -> Bool {
    guard let outline = scanned(bytes) else { return false }
    let text = String(decoding: bytes, as: UTF8.self)
    do throws(CassetteError) {
      let expected = InteractionOutline(try decoded(bytes))
      #expect(outline == expected, "\(what()): \(text)")
    } catch {
      Issue.record("\(what()): taken, though \(error): \(text)")
    }
    return true
  }

  private func written(_ interaction: Interaction) throws -> [UInt8] {
    let tree = try InteractionFormat.encode(interaction) { body throws(CassetteError) in
      let name = BodyFile.name(digest: SHA256Digest(of: body))
      let directory = try CassetteDirectory(opening: folder("c"))
      try directory.makeFolder(BodyFile.folder)
      if try directory.size(of: name) == nil { try directory.createFile(name, contents: body) }
      return BodyFile(name: name, size: body.count, directory: directory)
    }
    return InteractionFormat.fileBytes(tree)
  }

  @Test func `every shipped file is taken as it is, but for those with bodies that are no text`() throws {
    let cassettes = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Cassettes")
    let files = FileManager.default.enumerator(at: cassettes, includingPropertiesForKeys: nil)
    var taken = 0
    for case let file as URL in files ?? FileManager.DirectoryEnumerator()
    where file.pathExtension == "json" && file.lastPathComponent != CassetteNames.manifest {
      let bytes = Array(try Data(contentsOf: file))
      let text = String(decoding: bytes, as: UTF8.self)
      let isOther = text.contains("\"file\": \"bodies/") || text.contains("\"base64\": \"")
      #expect(isTaken(bytes, file.lastPathComponent) != isOther, "\(file.lastPathComponent)")
      taken += isOther ? 0 : 1
    }
    #expect(taken > 15)
  }

  @Test func `what we write is taken, whatever it holds`() throws {
    var generator = SeededGenerator(1)
    var taken = 0
    let count = LimitTests.isLong ? 100_000 : 500
    for number in 0..<count {
      if isTaken(try written(.random(&generator)), "\(number)") { taken += 1 }
    }
    // The rest has trailers, escapes, bodies beside the file or other things that are rare.
    #expect(taken > count / 2, "\(taken)")
  }

  @Test func `what is changed by chance is taken as the full reader takes it, or not at all`() throws {
    var generator = SeededGenerator(2)
    var (taken, left) = (0, 0)
    for number in 0..<(LimitTests.isLong ? 20_000 : 60) {
      let original = try written(.random(&generator))
      for change in 0..<20 {
        var bytes = original
        for _ in 0...generator.below(2) { generator.mutate(&bytes) }
        if isTaken(bytes, "\(number), \(change)") { taken += 1 } else { left += 1 }
      }
    }
    #expect(taken > 20 && left > 20, "\(taken) taken, \(left) left")
  }

  @Test func `cut at every byte, and with every bit flipped`() throws {
    var full = exchange(
      "POST", "/a?b=1", headers: [("Content-Type", "application/json"), ("Content-Length", "8")],
      sends: Array(#"{"a":[1]}"#.utf8),
      answers: [("ETag", "\"a\""), ("Date", "now"), ("Content-Type", "application/json")],
      body: Array(#"{"a": [1, -2.5e3, "é\u00e9", null]}"#.utf8), chunks: [3, 3, 3, 5])
    full.volatile.chunkOffsetsMilliseconds = [0.5, 1, 2, 30]
    for interaction in [full, exchange("HEAD", "/", answers: [("Date", "x")], body: [])] {
      let bytes = try written(interaction)
      #expect(isTaken(bytes, "whole"))
      for offset in bytes.indices {
        #expect(scanned(Array(bytes[..<offset])) == nil, "cut at \(offset)")
        for bit in 0..<8 where LimitTests.isLong || bit == offset % 8 {
          var flipped = bytes
          flipped[offset] ^= 1 << UInt8(bit)
          isTaken(flipped, "bit \(bit) of \(offset)")
        }
      }
    }
  }

  /// Things in our layout that are errors, or mean something else than they seem to.
  @Test(arguments: [
    ("\"method\": \"GET\"", "\"method\": \"G T\""),
    ("\"method\": \"GET\"", "\"method\": \"\""),
    ("\"target\": \"/x\"", "\"target\": \"x\""),
    ("\"target\": \"/x\"", "\"target\": \"/x y\""),
    ("[\"Accept\", \"*/*\"]", "[\"Accept\", null]"),
    ("[\"Accept\", \"*/*\"]", "[\"Acc ept\", \"*/*\"]"),
    ("[\"Accept\", \"*/*\"]", "[\"Accept\", \"*\u{7F}*\"]"),
    ("[\"Date\", null]", "[\"Dates\", null]"),
    ("    \"date\": \"now\",\n", ""),
    ("\"status\": 200", "\"status\": 099"),
    ("\"status\": 200", "\"status\": 2000"),
    ("\"reason\": \"OK\"", "\"reason\": \"O\\u0007K\""),
    ("HTTP/1.1", "HTTP/1.2"),
    ("\"hello\\n\"", "\"\\ud800\""),
    ("\"hello\\n\"", "\"hello\n\""),
    ("\"recordedAt\": \"2026-11-21", "\"recordedAt\": \"2026-02-30"),
    ("\"durationMilliseconds\": 12.345", "\"durationMilliseconds\": 1000000000001"),
    ("\"durationMilliseconds\": 12.345", "\"durationMilliseconds\": 012"),
    ("\"durationMilliseconds\": 12.345", "\"durationMilliseconds\": 1."),
    ("\"chunks\": [3, 3]", "\"chunks\": [3, 0]"),
    ("\"chunks\": [3, 3]", "\"chunks\": [[3, 0]]"),
  ])
  func `what is wrong is left to the full reader`(part: String, replacement: String) throws {
    var interaction = exchange(
      "GET", "/x", headers: [("Accept", "*/*")], answers: [("Date", "now"), ("Content-Type", "text/plain")],
      chunks: [3, 3])
    interaction.response.head.reason = Array("OK".utf8)
    let text = String(decoding: try written(interaction), as: UTF8.self)
    #expect(isTaken(Array(text.utf8), "whole"))
    try #require(text.contains(part), "\(text)")
    let wrong = Array(text.replacingOccurrences(of: part, with: replacement).utf8)
    #expect(scanned(wrong) == nil)
    #expect(throws: CassetteError.self) { _ = try decoded(wrong) }
  }

  @Test func `a null length needs a body to tell it, here too`() throws {
    let bytes = try written(exchange("HEAD", "/", answers: [("Content-Length", "5")], body: []))
    let wrong = String(decoding: bytes, as: UTF8.self).replacingOccurrences(of: "\"5\"", with: "null")
    #expect(isTaken(bytes, "whole"))
    #expect(scanned(Array(wrong.utf8)) == nil)
  }
}
