import RecordingTestSupport
import TapedeckHTTP
import Testing

@testable import TapedeckFormats
@testable import TapedeckMaintenance
@testable import TapedeckRecording
@testable import TapedeckRedaction

/// What changed from one JSON text to another: `severity kind place`.
private func drifts(_ recorded: [String], _ live: String) throws -> [String] {
  var shape = JSONShape()
  for text in recorded { shape.add(try JSONValue(parsing: Array(text.utf8))) }
  return shape.drifts(to: JSONShape(try JSONValue(parsing: Array(live.utf8)))).map {
    "\($0.severity) \($0.kind.rawValue) \($0.place)"
  }
}

private struct ShapeRow: Sendable, CustomTestStringConvertible {
  let recorded: [String]
  let live: String
  let drifts: [String]
  var testDescription: String { "\(recorded.joined(separator: " | ")) → \(live)" }

  init(_ recorded: String..., live: String, _ drifts: String...) {
    (self.recorded, self.live, self.drifts) = (recorded, live, drifts)
  }
}

private let shapes: [ShapeRow] = [
  // Values are no shape.
  ShapeRow(#"{"a": 1, "b": "x"}"#, live: #"{"b": "y", "a": 2}"#),
  ShapeRow("[1, 2, 3]", live: "[4]"),
  ShapeRow("true", live: "false"),
  // Fields.
  ShapeRow(#"{"a": 1}"#, live: #"{"a": 1, "b": 2}"#, "info field-added $.b"),
  ShapeRow(#"{"a": 1, "b": 2}"#, live: #"{"a": 1}"#, "breaking field-removed $.b"),
  ShapeRow(#"{"a": {"b": 1}}"#, live: #"{"a": {}}"#, "breaking field-removed $.a.b"),
  ShapeRow(#"{"a b": 1}"#, live: "{}", #"breaking field-removed $["a b"]"#),
  ShapeRow(#"{"\u0061": 1}"#, live: #"{"a": 1}"#),
  // One that was optional may be absent.
  ShapeRow(#"[{"a": 1, "b": 1}, {"a": 1}]"#, live: #"[{"a": 1}]"#, "info field-removed $[*].b"),
  ShapeRow(#"{"a": 1}"#, #"{"a": 1, "b": 1}"#, live: #"{"a": 1}"#, "info field-removed $.b"),
  ShapeRow(
    #"[{"a": 1}, {"a": 2}]"#, live: #"[{"a": 1}, {}]"#, "notable field-sometimes-absent $[*].a"),
  // Types.
  ShapeRow(#"{"a": 1}"#, live: #"{"a": "1"}"#, "breaking type-changed $.a"),
  ShapeRow(#"{"a": [1]}"#, live: #"{"a": {"b": 1}}"#, "breaking type-changed $.a"),
  ShapeRow("{}", live: "[]", "breaking type-changed $"),
  ShapeRow("[1, 2]", live: #"[1, "2"]"#, "breaking type-changed $[*]"),
  ShapeRow("[1, \"2\"]", live: "[1]"),
  ShapeRow("[[1]]", live: "[[true]]", "breaking type-changed $[*][*]"),
  // Whole numbers are numbers; numbers are not always whole.
  ShapeRow("1.5", live: "1"),
  ShapeRow("1", live: "1.5", "notable type-changed $"),
  ShapeRow("1", live: "1e3", "notable type-changed $"),
  // Null.
  ShapeRow(#"{"a": 1}"#, live: #"{"a": null}"#, "notable became-null $.a"),
  ShapeRow(#"{"a": null}"#, live: #"{"a": 1}"#, "info type-changed $.a"),
  ShapeRow(#"[{"a": null}, {"a": 1}]"#, live: #"[{"a": null}]"#),
  ShapeRow(#"{"a": 1}"#, live: #"{"a": {"b": null}}"#, "breaking type-changed $.a"),
  // Empty arrays tell nothing.
  ShapeRow("[]", live: #"[{"a": 1}]"#),
  ShapeRow(#"[{"a": 1}]"#, live: "[]"),
  // Names that are data.
  ShapeRow(#"{"17": {"a": 1}, "23": {"a": 2}}"#, live: #"{"99": {"a": 3}}"#),
  ShapeRow(#"{"17": {"a": 1}}"#, live: #"{"99": {}}"#, "breaking field-removed $[*].a"),
  ShapeRow(#"{"2026-01-01": 1}"#, live: #"{"2026-01-02": 1}"#),
  ShapeRow(
    #"{"6ba7b810-9dad-11d1-80b4-00c04fd430c8": 1}"#, live: #"{"7ba7b810-9dad-11d1-80b4-00c04fd430c8": "1"}"#,
    "breaking type-changed $[*]"),
  ShapeRow("{}", live: #"{"17": 1}"#),
  // Of a secret nobody knows what it was.
  ShapeRow(#"{"pin": "REDACTED:pin:0123abcd"}"#, live: #"{"pin": 1234}"#),
  ShapeRow(#"{"pin": "REDACTED:pin:0123abcd"}"#, live: "{}", "breaking field-removed $.pin"),
  // Texts that look like something.
  ShapeRow(
    #"{"at": "2026-11-21T01:52:33Z"}"#, live: #"{"at": "yesterday"}"#, "notable format-changed $.at"),
  ShapeRow(#"{"at": "2026-11-21T01:52:33Z"}"#, live: #"{"at": "2027-01-01T00:00:00.5+01:00"}"#),
  ShapeRow(#"{"at": "2026-11-21T01:52:33Z"}"#, live: #"{"at": 1795225953}"#, "breaking type-changed $.at"),
  ShapeRow(#"["2026-11-21", "soon"]"#, live: #"["later"]"#),
]

@Test(arguments: shapes)
private func `the shape of JSON drifts`(row: ShapeRow) throws {
  #expect(try drifts(row.recorded, row.live) == row.drifts)
}

private func response(
  _ status: Int = 200, _ type: String? = "application/json", _ body: String = "{}",
  also: [(String, String)] = []
) -> RecordedResponse {
  exchange(
    status: status, answers: (type.map { [("Content-Type", $0)] } ?? []) + also, body: Array(body.utf8)
  ).response
}

private func told(_ recorded: [RecordedResponse], _ live: RecordedResponse) -> [String] {
  Drift.all(from: recorded, to: live).map { "\($0.severity) \($0)" }
}

@Test func `a status drifts by its class`() {
  #expect(told([response(200)], response(200)) == [])
  #expect(told([response(200)], response(201)) == ["notable status: 200 → 201"])
  #expect(told([response(200)], response(404)) == ["breaking status: 200 → 404"])
  #expect(told([response(404)], response(200)) == ["breaking status: 404 → 200"])
  #expect(told([response(503)], response(200)) == ["notable status: 503 → 200"])
  #expect(told([response(200), response(404)], response(500)) == ["breaking status: 200 or 404 → 500"])
  #expect(told([response(304, nil, "")], response(200)) == [])
}

@Test func `of several responses those with the same status count`() {
  let pending = response(202, "application/json", #"{"state": "pending"}"#)
  let done = response(200, "application/json", #"{"result": 1}"#)
  #expect(told([pending, done], response(202, "application/json", #"{"state": "queued"}"#)) == [])
  #expect(
    told([pending, done], response(202, "application/json", "{}")) == [
      "breaking $.state: field removed, was string"
    ])
}

@Test func `a body that goes with another status of the class is looked at`() {
  #expect(
    told([response(200, "application/json", #"{"id": 1}"#)], response(204, nil, "")) == [
      "notable status: 200 → 204",
      #"breaking header "Content-Type": content type changed, was application/json"#,
      "breaking body: JSON → empty",
    ])
}

@Test func `content types drift by what reads them`() {
  let text = #"header "Content-Type""#
  #expect(told([response(200, "application/json")], response(200, "Application/JSON")) == [])
  #expect(
    told([response(200, "application/json")], response(200, "application/json; charset=utf-8")) == [
      "info \(text): application/json → application/json; charset=utf-8"
    ])
  #expect(
    told([response(200, "application/json")], response(200, "application/hal+json")) == [
      "notable \(text): application/json → application/hal+json"
    ])
  #expect(
    told([response(200, "application/json")], response(200, "text/html", "<p>")) == [
      "breaking \(text): application/json → text/html", "breaking body: JSON → not JSON",
    ])
}

@Test func `header fields drift by their presence`() {
  let live = response(also: [("X-New", "1"), ("ETag", "2")])
  #expect(
    told([response(also: [("X-Old", "1"), ("Date", "x")])], live) == [
      #"info header "x-old": header removed, was there"#, #"info header "x-new": header added, is there"#,
    ])
  #expect(
    told([response(302, nil, "", also: [("Location", "/a")])], response(302, nil, "")) == [
      #"breaking header "location": header removed, was there"#
    ])
  // A field that only some of the recorded responses had.
  #expect(told([response(also: [("X-Old", "1")]), response()], response()) == [])
}
