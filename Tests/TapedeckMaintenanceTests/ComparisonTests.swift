import RecordingTestSupport
import TapedeckHTTP
import Testing

@testable import TapedeckFormats
@testable import TapedeckMaintenance
@testable import TapedeckRecording
@testable import TapedeckRedaction

private let json = [("Content-Type", "application/json")]

private func differences(_ old: Interaction, _ new: Interaction) -> [String] {
  InteractionComparison.differences(old, new).map(\.description)
}

private func answered(_ body: String, _ fields: [(String, String)] = json, status: Int = 200) -> Interaction {
  exchange(status: status, answers: fields, body: Array(body.utf8))
}

@Test func `volatile facts make no difference`() {
  var other = answered("{}", json + [("Date", "yesterday"), ("Content-Length", "2")])
  other.volatile = VolatileFacts(recordedAtMicroseconds: 1, durationMilliseconds: 2, remoteAddress: "x")
  #expect(differences(answered("{}", json + [("Date", "today"), ("Content-Length", "02")]), other) == [])
}

@Test(
  arguments: [
    (#"{"a": 1}"#, #"{"a": 2}"#, ["body $.a: 1 → 2"]),
    (#"{"a": 1}"#, "{}", ["body $.a: 1 → (absent)"]),
    ("{}", #"{"a b": [1, 2]}"#, [#"body $["a b"]: (absent) → [1, 2]"#]),
    ("[1, 2, 3]", "[0, 1, 2, 3]", ["body $[0]: (absent) → 0"]),
    ("[1, 2, 3]", "[1, 3]", ["body $[1]: 2 → (absent)"]),
    ("[1, 2, 3]", "[1, 5, 3]", ["body $[1]: 2 → 5"]),
    (#"{"a":1}"#, #"{"a": 1}"#, ["body: the same JSON → written in another order or with other white space"]),
    ("a\nb\nc\n", "a\nx\nb\nc\n", [#"body line 2: (absent) → "x""#]),
    ("a\nb\n", "a\nc\n", [#"body line 2: "b" → "c""#]),
    ("a\n", "a", [#"body line 2: (absent) → """#]),
    ("a", "", ["body: 1 bytes, SHA-256 ca978112ca1b → (absent)"]),
  ] as [(String, String, [String])])
func `bodies are compared in the terms of what they are`(old: String, new: String, expected: [String]) {
  #expect(differences(answered(old), answered(new)) == expected)
}

@Test func `heads are compared field by field`() {
  #expect(
    differences(
      answered("", [("ETag", "1"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")]),
      answered("", [("etag", "2"), ("set-cookie", "a=1"), ("X-New", "")], status: 404)) == [
        "status: 200 → 404", #"reason: "OK" → "Not Found""#, #"header "ETag": "1" → "2""#,
        #"header "Set-Cookie": "a=1", "b=2" → "a=1""#, #"header "X-New": (absent) → """#,
      ])
  #expect(
    differences(answered("", [("A", "1"), ("B", "2")]), answered("", [("B", "2"), ("A", "1")])) == [
      "order of headers: A, B → B, A"
    ])
}

@Test func `how a body was framed is compared`() {
  #expect(differences(exchange(chunks: [3, 3]), exchange(chunks: [6])) == ["chunks: [3, 3] → [6]"])
  #expect(differences(exchange(chunks: [6]), exchange()) == ["chunks: [6] → none"])
}

private func comparison(_ old: [Interaction], _ new: [Interaction]) throws -> CassetteComparison {
  let folder = try TemporaryDirectory()
  try record(old, into: folder("old"))
  try record(new, into: folder("new"))
  return try CassetteComparison(try Cassette.load(folder("old")), try Cassette.load(folder("new")))
}

private func told(_ comparison: CassetteComparison) -> [String] {
  comparison.changes.map { change in
    let mark = change.old == nil ? "+" : change.new == nil ? "-" : "~"
    let text = "\(mark) \(change.request?.targetText ?? "")"
    return ([text] + change.differences.map(\.description)).joined(separator: "; ")
  }
}

@Test func `interactions belong together by what was asked`() throws {
  let same = exchange("GET", "/same?b=2&a=1")
  let found = try comparison(
    [same, exchange("GET", "/gone"), exchange("GET", "/changed")],
    [exchange("GET", "/new"), exchange("GET", "/changed", status: 500), same])
  #expect(
    told(found) == [
      #"~ /changed; status: 200 → 500; reason: "OK" → "Internal Server Error""#, "- /gone", "+ /new",
    ])
  #expect(found.equalCount == 1)
  #expect(!found.isEmpty)
}

@Test func `the order of the query is a difference of one interaction`() throws {
  let found = try comparison([exchange("GET", "/x?a=1&b=2")], [exchange("GET", "/x?b=2&a=1")])
  #expect(told(found) == ["~ /x?a=1&b=2; request target: /x?a=1&b=2 → /x?b=2&a=1"])
}

@Test func `one response less leaves the others together`() throws {
  func turn(_ text: String) -> Interaction { exchange("GET", "/turn", body: Array(text.utf8)) }
  let found = try comparison([turn("a"), turn("b"), turn("c")], [turn("b"), turn("c")])
  #expect(told(found) == ["- /turn"])
  #expect(found.changes.first?.old?.fileName.contains(".2") == false)
  #expect(found.equalCount == 2)
  let swapped = try comparison([turn("a"), turn("b")], [turn("b"), turn("a")])
  #expect(swapped.equalCount == 1)
  #expect(swapped.changes.count == 1)
  #expect(swapped.changes.first?.differences.first?.field == "place among the responses to this request")
}

@Test func `a cassette is no different from itself`() throws {
  let exchanges = [exchange(), exchange("POST", "/x", headers: json, sends: Array("{}".utf8)), exchange()]
  #expect(try comparison(exchanges, exchanges).isEmpty)
}

@Test func `messages of WebSockets are compared one by one, without their times`() {
  func said(_ texts: [String], code: Int, at milliseconds: Double) -> Interaction {
    var interaction = exchange(status: 101)
    interaction.response.webSocket = RecordedWebSocket(
      messages: texts.map {
        .init(from: .client, isText: true, bytes: Array($0.utf8), atMilliseconds: milliseconds)
      }, close: .init(from: .server, code: code, reason: []))
    return interaction
  }
  #expect(differences(said([#"{"a": 1}"#], code: 1000, at: 1), said([#"{"a": 1}"#], code: 1000, at: 2)) == [])
  #expect(
    differences(said([#"{"a": 1}"#], code: 1000, at: 1), said([#"{"a": 2}"#, "more"], code: 4000, at: 1)) == [
      "message 1 $.a: 1 → 2", "messages: 1 → 2", "close: by the server 1000 → by the server 4000",
    ])
}
