import Foundation
import RecordingTestSupport
import TapedeckHTTP
import Testing

@testable import TapedeckFormats
@testable import TapedeckRecording
@testable import TapedeckRedaction

/// From a cassette to HAR and back: the same files, byte for byte.
@Suite struct HARRoundTripTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  private static let shipped = root.appending(path: "Cassettes").path

  /// Exports a cassette and imports that into another; also gives the HAR.
  @discardableResult
  private func travel(_ cassette: String, to other: String) throws -> [UInt8] {
    var har: [UInt8] = []
    try HARWriter(creatorVersion: "test").write(try Cassette.open(cassette)) { har += $0 }
    var session = try ImportedSession.read(ImportSource(path: "out.har", bytes: har))
    try session.settle(for: other, upstream: nil, match: nil)
    #expect(session.notes == [])
    _ = try session.record(into: other)
    return har
  }

  @Test(arguments: try FileManager.default.contentsOfDirectory(atPath: shipped).sorted())
  func `the shipped cassettes come back as they were`(name: String) throws {
    let folder = try TemporaryDirectory()
    try travel("\(Self.shipped)/\(name)", to: folder("b"))
    let (before, after) = (try contents("\(Self.shipped)/\(name)"), try folder.contents(of: "b"))
    #expect(Set(before.keys) == Set(after.keys))
    for (name, bytes) in before {
      #expect(
        after[name].map { String(decoding: $0, as: UTF8.self) } == String(decoding: bytes, as: UTF8.self),
        "\(name)")
    }
  }

  @Test func `a cassette of several origins comes back as it was`() throws {
    let folder = try TemporaryDirectory()
    let recorder = try CassetteRecorder.open(
      folder("a"), origins: .several, replacing: false, isDurable: false)
    for (index, origin) in ["http://a.test", "https://a.test", "https://b.test:81"].enumerated() {
      var interaction = exchange(
        "POST", "/x?y=\(index)", headers: [("Host", "other")], sends: [1, 2, UInt8(index)])
      interaction.request.name(try #require(HTTPOrigin(origin)))
      interaction.response.isCloseDelimited = index == 1
      try recorder.record(interaction)
    }
    _ = try recorder.seal()
    try travel(folder("a"), to: folder("b"))
    #expect(try folder.contents(of: "a") == folder.contents(of: "b"))
  }

  private func contents(_ path: String) throws -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: path) where name.contains(".") {
      found[name] = Array(try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")))
    }
    return found
  }

  /// Everything a HAR cannot hold in its own members.
  private static let hostile: [Interaction] = [
    exchange("GET", "/plain"),
    exchange("OPTIONS", "*"),
    exchange("GET", "/q?a=%zz&=&b#c\"<>\\^`{}|"),
    exchange("GET", "//double//slash?x"),
    exchange("X-ODD.method!", "/x", status: 599, body: []),
    exchange("HEAD", "/head", answers: [("Content-Length", "12345")], body: []),
    exchange("POST", "/binary", sends: [0, 255, 254, 10, 13]),
    exchange("POST", "/nul", sends: Array("a\0b".utf8), body: Array("c\0d".utf8)),
    exchange("GET", "/bom", body: [0xEF, 0xBB, 0xBF] + Array("x".utf8)),
    exchange("GET", "/gzip", answers: [("Content-Encoding", "gzip")], body: [0x1F, 0x8B, 8, 0, 1]),
    exchange("GET", "/lie", answers: [("Content-Encoding", "gzip")], body: Array("not gzip".utf8)),
    exchange(
      "GET", "/latin", answers: [("Content-Type", "text/plain; charset=iso-8859-1")], body: Array("é".utf8)),
    exchange("GET", "/chunks", body: Array("hello".utf8), chunks: [1, 1, 1, 2]),
    exchange("GET", "/empty-chunks", body: [], chunks: []),
    exchange("GET", "/polly", answers: [("Content-Encoding", "br")], body: Array(#"["aGk="]"#.utf8)),
    exchange(
      "GET", "/fields",
      headers: [("Cookie", "a=1; b; =c"), ("Host", "other.test:81"), ("host", "twice.test"), ("X", "")],
      answers: [
        ("Set-Cookie", "a=1; Path=/; Expires=Wed, 21-Oct-2026 07:28:00 GMT; HttpOnly; Secure; Path=/x"),
        ("set-cookie", ""),
        ("Location", "http://other.test/"), ("X-\u{7E}", "t\tab"), ("Date", "Sat, 21 Nov 2026 01:52:33 GMT"),
        ("Date", "twice"),
      ]),
  ]

  @Test func `what HAR cannot hold comes back`() throws {
    var interactions = Self.hostile
    var odd = exchange("GET", "/odd")
    try odd.request.fields.append(name: Array("X-Bytes".utf8), value: [0xFF, 0xFE, 0x41])
    try odd.response.trailers.append("X-Trailer", "1")
    try odd.request.trailers.append("X-Trailer", "2")
    odd.response.head.version = .http10
    odd.response.head.reason = [0xFF, 0x20, 0x41]
    odd.response.isCloseDelimited = true
    odd.volatile = VolatileFacts(
      recordedAtMicroseconds: -62_167_219_200_000_000, durationMilliseconds: 1e12, remoteAddress: "[::1]:80")
    var silent = exchange("GET", "/silent")
    silent.volatile = VolatileFacts()
    interactions += [odd, silent]
    let folder = try TemporaryDirectory()
    for count in [1, 40] {
      let all = Array(repeating: interactions, count: count).joined()
      try record(Array(all), into: folder("a-\(count)"))
      try travel(folder("a-\(count)"), to: folder("b-\(count)"))
      #expect(try folder.contents(of: "a-\(count)") == folder.contents(of: "b-\(count)"))
    }
  }

  @Test func `large bodies come back`() throws {
    let folder = try TemporaryDirectory()
    let large = (0..<(3 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 3) }
    try record(
      [
        exchange("PUT", "/large", sends: large, body: large.reversed()),
        exchange("GET", "/text", body: Array(repeating: 0x61, count: 2 << 20)),
      ],
      into: folder("a"))
    try travel(folder("a"), to: folder("b"))
    #expect(try folder.contents(of: "a") == folder.contents(of: "b"))
  }

  @Test func `rules and members of the user's own come back`() throws {
    let folder = try TemporaryDirectory()
    try record([exchange("GET", "/x?ts=1&a=2"), exchange("GET", "/y")], into: folder("a"))
    try folder.write(
      "a/cassette.json",
      #"{"tapedeck": 1, "upstream": "https://api.test/v2", "match": ["method", "path", "query", "query:ignore=ts"], "redaction": {"key": "k", "keep": ["x"]}, "_mine": [1]}"#
    )
    // The names go by the rules, so they are made again.
    try travel(folder("a"), to: folder("b"))
    try travel(folder("b"), to: folder("c"))
    #expect(try folder.contents(of: "b") == folder.contents(of: "c"))
    let manifest = try folder.text("b/cassette.json")
    for part in ["https://api.test/v2", "query:ignore=ts", #""keep""#, "_mine"] {
      #expect(manifest.contains(part))
    }
  }

  @Test func `a cassette imported twice is imported once`() throws {
    let folder = try TemporaryDirectory()
    try record(
      [exchange("GET", "/x"), exchange("GET", "/x", body: [0x62]), exchange("GET", "/y")], into: folder("a"))
    try travel(folder("a"), to: folder("b"))
    let first = try folder.contents(of: "b")
    try travel(folder("a"), to: folder("b"))
    #expect(try folder.contents(of: "b") == first)
    #expect(first.count == 4)
  }

  /// The required members of HAR 1.2, their types, and what its text says about times.
  @Test func `the file is strict HAR 1.2`() throws {
    let folder = try TemporaryDirectory()
    try record(Self.hostile, into: folder("a"))
    let har = try travel(folder("a"), to: folder("b"))
    let log = try #require(try JSONValue(parsing: har)["log"])
    #expect(log["version"]?.text == "1.2")
    #expect(log["creator"]?["name"]?.text != nil && log["creator"]?["version"]?.text != nil)
    for entry in try #require(log["entries"]?.array) { try expectStrict(entry) }
  }

  private func expectStrict(_ entry: JSONValue) throws {
    let members = Set((entry.members ?? []).map(\.name.text))
    #expect(
      members.subtracting(["serverIPAddress"]) == [
        "startedDateTime", "time", "request", "response", "cache", "timings", "_tapedeck",
      ])
    #expect(entry["startedDateTime"]?.text.flatMap(ImportedTime.iso8601) != nil)
    let timings = try ["send", "wait", "receive"].map { try #require(entry["timings"]?[$0]?.int) }
    #expect(timings.allSatisfy { $0 >= 0 } && entry["time"]?.int == timings.reduce(0, +))
    let (request, response) = (try #require(entry["request"]), try #require(entry["response"]))
    for name in ["method", "url", "httpVersion"] { #expect(request[name]?.text?.isEmpty == false, "\(name)") }
    #expect(request["url"]?.text?.contains("#") == false)
    for message in [request, response] {
      #expect(message["headersSize"]?.int != nil && message["bodySize"]?.int != nil)
      for list in ["cookies", "headers"] {
        for pair in try #require(message[list]?.array) {
          #expect(pair["name"]?.text != nil && pair["value"]?.text != nil)
        }
      }
    }
    for pair in try #require(request["queryString"]?.array) {
      #expect(pair["name"]?.text != nil && pair["value"]?.text != nil)
    }
    if let data = request["postData"] {
      #expect(data["mimeType"]?.text != nil && data["text"]?.text != nil && data["params"] == nil)
    }
    for name in ["statusText", "httpVersion", "redirectURL"] {
      #expect(response[name]?.text != nil, "\(name)")
    }
    #expect(response["status"]?.int != nil)
    #expect(response["content"]?["size"]?.int != nil && response["content"]?["mimeType"]?.text != nil)
  }
}
