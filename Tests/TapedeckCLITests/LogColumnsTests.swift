import TapedeckHTTP
import Testing

@testable import TapedeckCLI

private let plain = Style(hasColor: false)

private func exchange(
  _ target: String, _ method: String = "GET", status: Int = 200, bytes: Int = 173,
  by source: ServedResponse.Source = .cassette, file: String? = nil, nanoseconds: Int64 = 310_000,
  failure: ExchangeFailure? = nil
) -> ExchangeSummary {
  let collector = DecisionCollector()
  if let file { collector.respond(.cassette, .replayed(.init(file: file, turn: 1, turns: 1))) }
  return ExchangeSummary(
    method: HTTPMethod(rawValue: method), target: Array(target.utf8), status: status, bodyBytes: bytes,
    source: source, durationNanoseconds: nanoseconds, wasCutShort: false, decisions: collector.decisions,
    failure: failure)
}

@Test func `a line of 80 columns`() {
  let columns = LogColumns(columns: 80, style: plain)
  #expect(
    columns.text(exchange("/users/1?page=2", file: "get-users-1-43d2ee.2.json"), time: "22:41:07")
      == "22:41:07 GET    /users/1?page=2          200    173 B cassette 43d2ee.2 0.31 ms\n")
  #expect(
    columns.text(
      exchange("/x", "DELETE", status: 0, bytes: 0, by: .upstream, nanoseconds: 12_345_000_000),
      time: "22:41:07")
      == "22:41:07 DELETE /x                         -      0 B upstream           12.3 s\n")
}

@Test(arguments: [58, 59, 72, 80, 100, 140, 300])
func `no line is wider than the terminal, and all are as wide`(width: Int) {
  let columns = LogColumns(columns: width, style: plain)
  let long = String(repeating: "/segment", count: 60)
  let lines = [
    exchange("/", file: "get-\(String(repeating: "a", count: 90))-43d2ee.json"),
    exchange(long, "OPTIONS", bytes: 1_048_575, by: .unmatched, nanoseconds: 999_499_999),
    exchange("https://host.example\(long)", "VERSION-CONTROL-OF-EVERYTHING-THERE-IS", by: .route),
    exchange("/", file: "api.example.com/named-by-hand-with-a-long-name.json", nanoseconds: 0),
  ].map { columns.text($0, time: "22:41:07").dropLast() }
  #expect(Set(lines.map(\.count)).count == 1, "\(lines)")
  #expect(lines.allSatisfy { $0.count < max(width, 59) })
}

@Test(
  arguments: [
    ("get-users-1-43d2ee.json", 20, "get-users-1-43d2ee"),
    ("get-users-1-43d2ee.json", 16, "get-user…-43d2ee"), ("get-users-1-43d2ee.json", 8, "43d2ee"),
    ("get-users-1-43d2ee.2.json", 8, "43d2ee.2"), ("a.test/get-43d2ee.json", 12, "get-43d2ee"),
    ("my-login-flow.json", 8, "my-l…low"), ("login.json", 8, "login"),
  ])
func `a file is known by its key`(name: String, width: Int, shown: String) {
  #expect(LogColumns.file(name, width: width) == shown)
}

@Test func `a failure stands below its line`() {
  let failed = exchange(
    "/a", status: 502, by: .upstream,
    failure: ExchangeFailure(
      cause: "connection_refused", detail: String(repeating: "words of the reason ", count: 8)))
  let lines = LogColumns(columns: 80, style: plain).text(failed, time: "22:41:07").split(separator: "\n")
  #expect(lines.count == 4)
  #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("         ") && $0.count < 80 })
}

@Test(
  arguments: [
    (0, "0.00 ms"), (310_000, "0.31 ms"), (9_994_000, "9.99 ms"), (12_345_000, "12.3 ms"),
    (340_400_000, "340 ms"), (999_499_999, "999 ms"), (999_500_000, "1.00 s"), (12_345_000_000, "12.3 s"),
    (3_600_000_000_000, "3600 s"),
  ] as [(Int64, String)])
func `durations have three digits`(nanoseconds: Int64, text: String) {
  #expect(HumanText.duration(nanoseconds: nanoseconds) == text)
}

@Test func `a command on several lines is one command`() {
  let command = #"curl -X POST -H 'Accept: a b' --data-raw '{"a": "it'\''s"}' http://127.0.0.1:80/path"#
  let lines = command.wrappedCommand(to: 40, indent: 4)
  #expect(
    lines == [
      "    curl -X POST -H 'Accept: a b' \\", #"      --data-raw '{"a": "it'\''s"}' \"#,
      "      http://127.0.0.1:80/path",
    ])
  #expect(command.wrappedCommand(to: 200, indent: 0) == [command])
}

@Test func `text is broken between words`() {
  #expect("one two three four".wrapped(to: 9, indent: 0) == ["one two", "  three", "  four"])
  #expect("unbreakable".wrapped(to: 5, indent: 1) == [" unbreakable"])
}

@Test(
  arguments: [
    ("/users/12?page=2", "/users/{id}"), ("/", "/"), ("/v1/a/7/b", "/v1/a/{id}/b"),
    ("/x/0b9c3c1e-7d5d-4a3f-9a3c-1f2e3d4c5b6a", "/x/{id}"), ("/2a/", "/2a/"),
  ])
func `an endpoint has parameters`(target: String, pattern: String) {
  #expect(EndpointCounts.pattern(target) == pattern)
}

@Test func `the most frequent endpoints come first`() {
  let counts = EndpointCounts()
  for target in ["/b", "/a", "/users/1", "/users/2"] { counts.add(exchange(target)) }
  counts.add(exchange("/users/3", status: 404))
  #expect(counts.ordered.map(\.name) == ["GET /users/{id}", "GET /a", "GET /b"])
  #expect(counts.ordered[0].statuses == [200, 404])
  #expect(counts.ordered[0].count == 3)
}

@Test func `requests of endpoints beyond the bound are counted together`() {
  let counts = EndpointCounts()
  for number in 0..<EndpointCounts.maximumEndpoints + 3 { counts.add(exchange("/a\(number)")) }
  for _ in 0..<2 { counts.add(exchange("/a7")) }
  #expect(counts.ordered.count == EndpointCounts.maximumEndpoints && counts.ordered[0].count == 3)
  #expect(counts.others == 3)
}

@Test func `paragraphs are filled and rows are broken below their second column`() {
  let text = "one two three four\nfive six\n  a  seven eight nine ten eleven twelve\n\nlast"
  #expect(text.fitted(to: nil) == text && text.fitted(to: 50) == text)
  #expect(
    text.fitted(to: 30)
      == "one two three four five six\n  a  seven eight nine ten\n     eleven twelve\n\nlast")
  #expect(text.fitted(to: 12).hasPrefix("one two\nthree four\nfive six\n  a  seven eight"))
}
