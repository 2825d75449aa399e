import Foundation
import Glibc
import RecordingTestSupport
import TapedeckHTTP
import TestSupport
import Testing

@testable import TapedeckRecording
@testable import TapedeckRedaction

/// What arrives through files: refused with the file's name, never guessed at.
@Suite struct CorruptionTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var member: String
    var problem: String
    var content: String

    init(
      _ name: String, _ member: String, _ problem: String, _ request: String, _ response: String,
      _ more: String = ""
    ) {
      (self.name, self.member, self.problem) = (name, member, problem)
      content = #"{"request": {\#(request)}, "response": {\#(response)}\#(more)}"#
    }

    var testDescription: String { name }
  }

  static let get = #""method": "GET", "target": "/""#

  static func header(_ pair: String) -> String { #""status": 200, "headers": [["A", "1"], \#(pair)]"# }

  static func body(_ form: String) -> String { #""status": 200, "body": \#(form)"# }

  static let cases: [Case] = [
    Case(
      "C01 CRLF", "response.headers[1]", "control character", get, header(#"["X", "a\r\nSet-Cookie: x"]"#)),
    Case("C01 NUL", "response.headers[1]", "control character", get, header(#"["X", "a\u0000"]"#)),
    Case(
      "C01 request", "request.headers[0]", "control character", get + #", "headers": [["X", "\n"]]"#,
      #""status": 200"#),
    Case(
      "C01 trailer", "response.trailers[0]", "control character", get,
      #""status": 200, "trailers": [["X", "\r"]]"#),
    Case(
      "C01 base64", "response.headers[1]", "control character", get, header(#"["X", {"base64": "DQo="}]"#)),
    Case("C01 reason", "response.reason", "control characters", get, #""status": 200, "reason": "a\r\nb""#),
    Case("C02 zero", "response.status", "100 to 999", get, #""status": 0"#),
    Case("C02 low", "response.status", "100 to 999", get, #""status": 99"#),
    Case("C02 high", "response.status", "100 to 999", get, #""status": 1000"#),
    Case("C02 negative", "response.status", "100 to 999", get, #""status": -1"#),
    Case("C02 text", "response.status", "100 to 999", get, #""status": "200 OK""#),
    Case("C02 fraction", "response.status", "100 to 999", get, #""status": 200.0"#),
    Case("C02 missing", "response", "`status` is missing", get, ""),
    Case("C03 blank", "response.headers[1]", "not a header name", get, header(#"["X Y", "a"]"#)),
    Case("C03 empty", "response.headers[1]", "not a header name", get, header(#"["", "a"]"#)),
    Case("C03 pseudo", "response.headers[1]", "not a header name", get, header(#"[":status", "200"]"#)),
    Case("pair", "response.headers[1]", "pair", get, header(#"["X"]"#)),
    Case("number", "response.headers[1]", "a string", get, header(#"["X", 5]"#)),
    Case(
      "null", "response.headers[1]", "only `Content-Length` may be null, and the `Date`", get,
      header(#"["Date", null]"#)),
    Case(
      "null", "response.headers[1]", "only `Content-Length` may be null, and the `Date`", get,
      header(#"["X", null]"#),
      #", "volatile": {"date": "x"}"#),
    Case("surrogate", "response.headers[1]", "lone surrogate", get, header(#"["X", "\ud800"]"#)),
    Case("C05 base64", "response.body.base64", "not base64", get, body(#"{"base64": "a"}"#)),
    Case(
      "C05 absent", "bodies/00000000000000000000000000000000.bin", "No such file", get,
      body(#"{"file": "bodies/00000000000000000000000000000000.bin", "size": 1}"#)),
    Case(
      "C06 up", "bodies/../../etc/passwd", "is not called", get, body(#"{"file": "bodies/../../etc/passwd"}"#)
    ),
    Case("C06 absolute", "/etc/passwd", "is not called", get, body(#"{"file": "/etc/passwd"}"#)),
    Case("C06 backslash", "bodies/..\\\\x", "is not called", get, body(#"{"file": "bodies/..\\x"}"#)),
    Case("C06 NUL", "bodies/\\0", "is not called", get, body(#"{"file": "bodies/\u0000"}"#)),
    Case("C06 percent", "bodies/%2e%2e", "is not called", get, body(#"{"file": "bodies/%2e%2e"}"#)),
    Case(
      "C07 sibling", "bodies-evil", "is not called", get,
      body(#"{"file": "bodies-evil/00000000000000000000000000000000.bin"}"#)),
    Case("style", "response.body.style", "unknown style", get, body(#"{"json": 1, "style": "wide"}"#)),
    Case("two forms", "response.body", "makes no sense", get, body(#"{"json": 1, "text": "a"}"#)),
    Case("no form", "response.body", "is expected here", get, body("{}")),
    Case("text", "response.body.text[1]", "a string", get, body(#"{"text": ["a", 1]}"#)),
    Case("typo", "response", "unknown member `trailer`", get, #""status": 200, "trailer": []"#),
    Case("typo above", "", "unknown member `Volatile`", get, #""status": 200"#, #", "Volatile": {}"#),
    Case("twice", "response", "stands here twice", get, #""status": 200, "status": 201"#),
    Case("twice, escaped", "response", "stands here twice", get, #""status": 200, "\u0073tatus": 201"#),
    Case("method", "request.method", "a method", #""method": "GE T", "target": "/""#, #""status": 200"#),
    Case("target", "request.target", "a target", #""method": "GET", "target": "x""#, #""status": 200"#),
    Case(
      "target", "request.target", "a target", #""method": "GET", "target": "/ HTTP/1.1""#, #""status": 200"#),
    Case("target", "request.target", "a target", #""method": "GET", "target": "/\u007F""#, #""status": 200"#),
    Case("version", "response.version", "HTTP/1.1", get, #""status": 200, "version": "HTTP/2""#),
    Case("chunks", "response.chunks[1]", "chunk size", get, #""status": 200, "chunks": [1, 0]"#),
    Case("chunks", "response.chunks[0]", "chunk size", get, #""status": 200, "chunks": [[1, -1]]"#),
    Case(
      "time", "volatile.recordedAt", "a time", get, #""status": 200"#, #", "volatile": {"recordedAt": "now"}"#
    ),
    Case(
      "duration", "volatile.durationMilliseconds", "milliseconds", get, #""status": 200"#,
      #", "volatile": {"durationMilliseconds": -1}"#),
  ]

  private func failure(_ folder: TemporaryDirectory) -> CassetteError? {
    do throws(CassetteError) {
      _ = try Cassette.load(folder("c"))
      return nil
    } catch {
      return error
    }
  }

  @Test("C01 C02 C03 C05 C06 C07 a hostile interaction is refused, naming file and member", arguments: cases)
  func refuses(_ test: Case) throws {
    let folder = try TemporaryDirectory()
    try folder.write("c/one.json", test.content)
    let message = try #require(failure(folder)).description
    #expect(message.hasPrefix(folder("c/one.json") + ": "))
    #expect(test.member.isEmpty || message.contains(test.member), "\(message)")
    #expect(message.contains(test.problem), "\(message)")
    #expect(throws: CassetteError.self) { _ = try CassetteRecorder.open(testing: folder("c")) }
    #expect(try folder.names(of: "c") == ["one.json"])
  }

  @Test("C08 bad JSON is refused, naming line and column") func namesLineAndColumnOfBadJSON() throws {
    let folder = try TemporaryDirectory()
    try folder.write("c/one.json", "{\n  \"request\": NaN\n}\n")
    #expect(failure(folder)?.description.hasPrefix(folder("c/one.json:2:14: unexpected `N`")) == true)
    for content in ["\u{FEFF}{}", "", "[" + String(repeating: "[", count: 100_000), "{}{}"] {
      try folder.write("c/one.json", content)
      guard case .invalidJSON(folder("c/one.json"), _)? = failure(folder) else {
        Issue.record("\(content.prefix(20)) is accepted")
        continue
      }
    }
  }

  @Test("C09 every truncation of a file is an error") func everyTruncationIsAnError() throws {
    let folder = try TemporaryDirectory()
    try record([exchange("POST", "/a", sends: Array("x".utf8), chunks: [6])], into: folder("c"))
    let name = try #require(try folder.names(of: "c").first { $0.hasPrefix("post") })
    for file in [name, "cassette.json"] {
      let whole = try folder.read("c/\(file)")
      for count in 0..<(whole.count - 1) {
        try folder.write("c/\(file)", whole[..<count])
        #expect(failure(folder)?.description.contains(file) == true, "\(file) cut at \(count)")
      }
      try folder.write("c/\(file)", whole)
    }
    #expect(failure(folder) == nil)
  }

  @Test func mutationsNeverTrap() throws {
    let folder = try TemporaryDirectory()
    let original = exchange(
      "POST", "/a", headers: [("Content-Type", "application/json")], sends: Array(#"{"a":[1,2]}"#.utf8),
      answers: [("Date", "x"), ("Content-Length", "6")], chunks: [1, 1, 1, 3])
    try record([original], into: folder("c"))
    let name = try #require(try folder.names(of: "c").first { $0.hasPrefix("post") })
    let whole = try folder.read("c/\(name)")
    let reader = CassetteReader(try CassetteDirectory(opening: folder("c")), matcher: RequestMatcher())
    var random = SeededGenerator(3)
    for _ in 0..<5000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = whole.randomElement(using: &random) ?? 0
      }
      guard let tree = try? JSONValue(parsing: bytes) else { continue }
      _ = try? reader.interaction(tree, name: name, in: name)
    }
  }

  @Test("C05 body files must be what their names say") func bodyFilesMustBeWhatTheirNamesSay() throws {
    let folder = try TemporaryDirectory()
    let body = [UInt8](repeating: 0, count: 2_000_000)
    try record([exchange("GET", "/a", body: body)], into: folder("c"))
    let name = "c/bodies/" + (try #require(try folder.names(of: "c/bodies").first))
    #expect(failure(folder) == nil)
    try folder.write(name, body.dropLast())
    #expect(failure(folder)?.description.contains("has 1999999 bytes") == true)
    try folder.write(name, body.dropLast() + [1])
    #expect(failure(folder)?.description.contains("does not hold the content") == true)
    try FileManager.default.removeItem(atPath: folder(name))
    try folder.write("outside", body)
    try FileManager.default.createSymbolicLink(atPath: folder(name), withDestinationPath: folder("outside"))
    #expect(failure(folder)?.description.contains("is not a plain file") == true)
    for make in [{ mkfifo($0, 0o600) }, { mkdir($0, 0o700) }] as [@Sendable (String) -> Int32] {
      try FileManager.default.removeItem(atPath: folder(name))
      #expect(make(folder(name)) == 0)
      #expect(failure(folder)?.description.contains("is not a plain file") == true)
    }
    try FileManager.default.removeItem(atPath: folder("c/bodies"))
    try FileManager.default.createSymbolicLink(atPath: folder("c/bodies"), withDestinationPath: folder.path)
    #expect(failure(folder)?.description.contains("plain") == true)
  }

  @Test("C05 links and pipes are not read", arguments: ["one.json", "cassette.json", "journal.jsonl"])
  func linksAndPipesAreNotRead(name: String)
    throws
  {
    let folder = try TemporaryDirectory()
    try record([exchange()], into: folder("c"))
    try? FileManager.default.removeItem(atPath: folder("c/\(name)"))
    try FileManager.default.createSymbolicLink(atPath: folder("c/\(name)"), withDestinationPath: "/dev/zero")
    #expect(failure(folder) == .notAPlainFile(path: folder("c/\(name)")))
    try FileManager.default.removeItem(atPath: folder("c/\(name)"))
    #expect(mkfifo(folder("c/\(name)"), 0o600) == 0)
    #expect(failure(folder) == .notAPlainFile(path: folder("c/\(name)")))
    #expect(throws: CassetteError.self) { _ = try CassetteRecorder.open(testing: folder("c")) }
  }

  @Test func absentIsNotUnreadable() throws {
    let folder = try TemporaryDirectory()
    #expect(failure(folder) == .absent(directory: folder("c")))
    try folder.write("c/README.md", "nothing else")
    #expect(failure(folder) == .absent(directory: folder("c")))
    try folder.write("c/cassette.json", #"{"tapedeck": 1}"#)
    #expect(failure(folder) == nil)
  }

  @Test(arguments: [
    (#"{"tapedeck": 3, "new": {}}"#, "newer tapedeck"), (#"{"tapedeck": 0}"#, "tapedeck: a format version"),
    (#"{}"#, "`tapedeck` is missing"), (#"{"tapedeck": 1, "upstram": "x"}"#, "unknown member `upstram`"),
    (#"{"tapedeck": 1, "match": ["methods"]}"#, #"match: "methods" is no part of a request"#),
    (#"{"tapedeck": 1, "upstream": 5}"#, "a string"),
    ("[]", "an object"),
  ])
  func refusesManifests(content: String, problem: String) throws {
    let folder = try TemporaryDirectory()
    try folder.write("c/cassette.json", content)
    let message = try #require(failure(folder)).description
    #expect(message.contains(folder("c/cassette.json")) && message.contains(problem), "\(message)")
  }
}
