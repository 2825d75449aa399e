import Foundation
import RecordingTestSupport
import TapedeckHTTP
import Testing

@testable import TapedeckRecording
@testable import TapedeckRedaction

/// DESIGN §6, *Variants*: `Range` and the `If-…` fields.
@Suite struct VariantTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private static func get(_ headers: [(String, String)] = [], _ target: String = "/file") -> HTTPRequest {
    HTTPRequest(.get, target, fields: fields(headers))
  }

  private static func key(_ headers: [(String, String)]) -> MatchKey {
    RequestMatcher().key(for: get(headers))
  }

  @Test(arguments: [
    [("Range", "bytes=0-4")], [("If-Range", "\"a\"")], [("If-None-Match", "\"a\"")], [("If-Match", "*")],
    [("If-Modified-Since", "Sat, 21 Nov 2026 01:02:03 GMT")],
    [("If-Unmodified-Since", "Sat, 21 Nov 2026 01:02:03 GMT")], [("If-Schedule-Tag-Match", "\"a\"")],
    [("x-ms-range", "bytes=0-4")], [("X-Amz-Target", "A.B")], [("SOAPAction", "\"urn:a\"")],
  ])
  func `a range or a condition makes another key`(headers: [(String, String)]) {
    let (plain, key) = (Self.key([]), Self.key(headers))
    #expect(key != plain && key.digest != plain.digest)
    #expect(rewrittenKey(Self.get(headers), RequestMatcher()) == key.bytes)
    #expect(key == Self.key(headers.map { ($0.0.lowercased(), $0.1) }))
    #expect(key != Self.key(headers.map { ($0.0, $0.1 + "1") }))
    #expect(Self.key(headers + [("Accept", "x"), ("X-Ms-Other", "1"), ("Rangy", "1"), ("Iffy", "1")]) == key)
  }

  @Test(arguments: [
    ("bytes=0-4", "Bytes=0-4", true), ("bytes=0-4,6-7", "bytes=0-4, 6-7", true),
    ("bytes=0-4", "bytes=0-5", false),
  ])
  func `ranges are compared without case and blanks`(left: String, right: String, isSame: Bool) {
    #expect((Self.key([("Range", left)]) == Self.key([("Range", right)])) == isSame)
  }

  @Test func `the plain key of a variant is that of the plain request`() {
    #expect(Self.key([("Range", "bytes=0-4"), ("If-Range", "\"a\"")]).plain == Self.key([]))
    #expect(Self.key([]).isPlain && !Self.key([("If-Match", "*")]).isPlain)
    #expect(
      Self.key([("X-Amz-Target", "A.B"), ("Range", "bytes=0-1")]).plain
        == Self.key([("X-Amz-Target", "A.B")]),
      "an operation is no variant of another")
  }

  private func load(_ interactions: [Interaction]) throws -> Cassette {
    try record(interactions, into: folder("c"))
    return try Cassette.load(folder("c"))
  }

  private static func response(_ status: Int, _ body: String, _ headers: [(String, String)] = [])
    -> Interaction
  {
    exchange("GET", "/file", headers: headers, status: status, body: status == 304 ? [] : Array(body.utf8))
  }

  private func given(_ cassette: Cassette, _ request: HTTPRequest) -> (status: Int, body: RecordedBody)? {
    let sequence = cassette.sequence(for: request) ?? cassette.substitute(for: request)
    return sequence?.next(for: request).map {
      ($0.interaction.status, $0.interaction.interaction.response.body)
    }
  }

  static let session = [
    response(206, "01234", [("Range", "bytes=0-4")]), response(206, "abcde", [("Range", "bytes=10-14")]),
    response(200, "whole"), response(304, "", [("If-None-Match", "\"v1\"")]),
  ]

  @Test(
    arguments: [
      ([("Range", "bytes=0-4")], 206, "01234"), ([("Range", "bytes=10-14")], 206, "abcde"),
      ([], 200, "whole"),
      ([("If-None-Match", "\"v1\"")], 304, ""), ([("Range", "bytes=100-109")], 200, "whole"),
      ([("If-None-Match", "\"v2\"")], 200, "whole"),
      ([("Range", "bytes=0-4"), ("If-Range", "\"v1\"")], 200, "whole"),
    ] as [([(String, String)], Int, String)])
  func `each variant gets its own response in any order`(
    headers: [(String, String)], status: Int, body: String
  ) throws {
    for session in [Self.session, Self.session.reversed()] {
      let cassette = try load(session)
      for _ in 0..<2 {
        let response = try #require(given(cassette, Self.get(headers)))
        #expect(response.status == status && response.body == .bytes(Array(body.utf8)))
      }
      try FileManager.default.removeItem(atPath: folder("c"))
    }
  }

  @Test func `without a full response another variant is a miss that names the field`() throws {
    let cassette = try load([Self.response(206, "01234", [("Range", "bytes=0-4")])])
    for (headers, difference) in [
      ([("Range", "bytes=5-9")], #"header range: "bytes=0-4" → "bytes=5-9""#),
      ([], #"header range: "bytes=0-4" → (absent)"#),
    ] {
      #expect(given(cassette, Self.get(headers)) == nil)
      #expect(cassette.nearest(to: Self.get(headers)).first?.differences.map(\.description) == [difference])
    }
  }

  @Test func `a method that is neither GET nor HEAD never gets another variant`() throws {
    let cassette = try load([exchange("PUT", "/file", headers: [("If-Match", "\"a\"")])])
    for headers in [[], [("If-Match", "\"b\"")]] {
      let request = HTTPRequest(.put, "/file", fields: fields(headers))
      #expect(cassette.sequence(for: request) == nil && cassette.substitute(for: request) == nil)
      #expect(cassette.nearest(to: request).first?.differences.map(\.field) == ["header if-match"])
    }
  }

  @Test(arguments: ["X-Amz-Target", "SOAPAction"])
  func `what was recorded without the name of its operation is found`(name: String) throws {
    let other = exchange("POST", "/", headers: [(name, "A.Other")], sends: Array("other".utf8))
    let cassette = try load([exchange("POST", "/", sends: Array("list".utf8)), other])
    let asked = { (body: String) in
      HTTPRequest(
        method: .post, target: Array("/".utf8), fields: fields([(name, "A.List")]), body: Array(body.utf8))
    }
    #expect(cassette.sequence(for: asked("list")) != nil)
    #expect(cassette.sequence(for: asked("other")) == nil, "another operation never stands in")
  }

  @Test func `a full response to a condition stands in for the plain one`() throws {
    let cassette = try load([Self.response(200, "new", [("If-None-Match", "\"old\"")])])
    #expect(given(cassette, Self.get())?.status == 200)
    #expect(cassette.unused.isEmpty)
  }

  @Test(arguments: [
    ([200, 304], 200), ([304, 200], 200), ([206, 404], 404), ([304], 304), ([206, 206], 206),
  ])
  func `a 304 or 206 without its field is given only where there is nothing else`(
    statuses: [Int], expected: Int
  ) throws {
    let cassette = try load(statuses.map { Self.response($0, "\($0)") })
    for _ in 0..<3 { #expect(given(cassette, Self.get())?.status == expected) }
  }

  @Test func `variants of one path have names of their own, the plain one that of ever`() throws {
    try record(Self.session + Self.session, into: folder("c"))
    let names = try Cassette.load(folder("c")).interactions.map(\.fileName)
    let plain = "get-file-\(RequestMatcher().key(for: Self.get()).digest.hex.prefix(6))"
    #expect(names.count == 8 && Set(names.map { CassetteNames.parse($0).stem }).count == 4)
    #expect(names.contains("\(plain).json") && names.contains("\(plain).2.json"))
    try record(Self.session, into: folder("c"), replacing: true)
    #expect(try Cassette.load(folder("c")).count == 4)
  }

  /// As version 1 named them: all variants one behind the other.
  @Test(arguments: [false, true]) func `variants that share a stem are recorded anew without loss`(
    isReplacing: Bool
  ) throws {
    let path = folder("c")
    try record(Self.session, into: path)
    let stem = "get-file-\(RequestMatcher().key(for: Self.get()).digest.hex.prefix(6))"
    let files = try Cassette.load(path).interactions
    for (index, interaction) in [Self.session[2], Self.session[0], Self.session[1], Self.session[3]]
      .enumerated()
    {
      let answer = try #require(files.first { $0.interaction.request.fields == interaction.request.fields })
      try FileManager.default.moveItem(atPath: "\(path)/\(answer.fileName)", toPath: "\(path)/aside.\(index)")
    }
    for index in 0..<4 {
      try FileManager.default.moveItem(
        atPath: "\(path)/aside.\(index)",
        toPath: "\(path)/\(CassetteNames.name(stem: stem, ordinal: index + 1))")
    }
    let old = try Cassette.load(path)
    #expect(old.interactions.count == 4 && given(old, Self.get([("Range", "bytes=10-14")]))?.status == 206)
    let recorder = try CassetteRecorder.open(
      path, origins: .one(nil), replacing: isReplacing, isDurable: false)
    for interaction in [Self.response(200, "one"), Self.response(200, "two")] {
      try recorder.record(interaction)
    }
    _ = try recorder.seal()
    let new = try Cassette.load(path)
    #expect(new.count == (isReplacing ? 5 : 6))
    #expect(given(new, Self.get([("Range", "bytes=0-4")]))?.body == .bytes(Array("01234".utf8)))
    #expect(given(new, Self.get([("Range", "bytes=10-14")]))?.body == .bytes(Array("abcde".utf8)))
    #expect(new.sequence(for: Self.get())?.interactions.count == (isReplacing ? 2 : 3))
  }
}
