import TapedeckHTTP
import Testing

@testable import TapedeckFormats
@testable import TapedeckProxy
@testable import TapedeckRecording
@testable import TapedeckRedaction

/// What a run is remembered by: bounded, and the same for the same run.
@Suite struct RunReportTests {
  private static func miss(_ target: String, differs: String = "path") -> Miss {
    Miss(
      method: "GET", target: target, detail: "\(target) is not there",
      nearest: [
        Miss.Nearest(
          file: "f.json", request: "GET /f",
          differences: [Miss.Difference(field: differs, recorded: "/f", received: nil)])
      ],
      fixes: [Miss.Fix(because: "to record it", command: "tapedeck serve")], curl: "curl \(target)",
      sort: target + differs)
  }

  @Test func missesAreGroupedAndBounded() {
    let statistics = ProxyStatistics()
    #expect(statistics.countUnmatched(Self.miss("/a")))
    #expect(!statistics.countUnmatched(Self.miss("/a")))
    #expect(statistics.countUnmatched(Self.miss("/a", differs: "$.x")), "another difference is another sort")
    for index in 0..<5000 { _ = statistics.countUnmatched(Self.miss("/\(index)")) }
    let (listed, others) = (statistics.summary.unmatchedRequests, statistics.summary.otherUnmatched)
    #expect(listed.count == GroupLedger<MissGroup>.maximumGroups)
    #expect(listed.prefix(3).map(\.count) == [2, 1, 1])
    #expect(listed.prefix(3).map(\.miss.target) == ["/a", "/a", "/0"])
    #expect(others + listed.reduce(0) { $0 + $1.count } == 5003)
    #expect(statistics.summary.unmatched == 5003)
  }

  @Test func driftIsCountedByPlace() {
    let statistics = ProxyStatistics()
    func difference(_ field: String, _ word: String?) -> RequestDifference {
      RequestDifference(field: field, recorded: "1", received: "2", ignoredBy: word)
    }
    statistics.countDrift(
      [
        difference("$.e[0].t", "body:ignore=$.e[*].t"), difference("$.e[1].t", "body:ignore=$.e[*].t"),
        difference(#"query "ts""#, "query:ignore=ts"),
      ], file: "a.json")
    statistics.countDrift([difference("$.e[7].t", "body:ignore=$.e[*].t")], file: "a.json")
    statistics.countDrift([difference("body from byte 12", nil)], file: "b.json")
    let (listed, others) = (statistics.summary.driftedFields, statistics.summary.otherDrift)
    #expect(listed.map(\.field) == ["$.e[*].t", "body", #"query "ts""#])
    #expect(listed.map(\.count) == [2, 1, 1])
    #expect(others == 0)
    #expect(statistics.summary.drifted == 3)
    #expect(statistics.driftedFiles == ["a.json": 2, "b.json": 1])
    for index in 0..<1000 { statistics.countDrift([difference("x\(index)", nil)], file: "a.json") }
    #expect(statistics.summary.driftedFields.count == GroupLedger<DriftedField>.maximumGroups)
    #expect(statistics.summary.otherDrift == 1000 - (GroupLedger<DriftedField>.maximumGroups - 3))
  }

  @Test func theReportIsWhatTheDocumentationSays() throws {
    var summary = ProxySummary()
    (summary.replayed, summary.repeated, summary.drifted, summary.unmatched, summary.unused) = (5, 1, 2, 3, 1)
    summary.unmatchedRequests = [MissGroup(miss: Self.miss("/x"), count: 2)]
    summary.otherUnmatched = 1
    summary.driftedFields = [DriftedField(field: "$.n", count: 2, recorded: "1", received: nil)]
    summary.failures = [
      FailedExchange(
        method: "GET", target: "/f", failure: ExchangeFailure(cause: "dns_error", detail: "no such host"),
        count: 3)
    ]
    summary.otherFailures = 4
    let report = RunReport(
      summary: summary,
      uses: [
        InteractionUse(
          file: "a.json", method: "GET", target: "/a", status: 200, hits: 5, repeated: 1, drifted: 2),
        InteractionUse(
          file: "b.json", method: "PUT", target: "/b", status: 404, hits: 0, repeated: 0, drifted: 0),
      ],
      cassette: "Cassettes/api", mode: .none, match: ["method", "path"], rules: [.unused, .repeat],
      exitCode: 3)
    let json = try JSONValue(parsing: report.json)
    #expect(
      json.members?.map(\.name.text) == [
        "tapedeck-report", "cassette", "mode", "match", "exitCode", "rules", "broken", "failure", "counts",
        "interactions", "unused", "unmatched", "otherUnmatched", "drift", "otherDrift", "originMentions",
        "tunnelledHosts", "secrets", "failures", "otherFailures", "isolation",
      ])
    #expect(json["isolation"] == .null)
    #expect(json["rules"] == ["unused", "repeat"])
    #expect(json["broken"] == ["unused", "repeat"])
    #expect(json["unused"] == ["b.json"])
    #expect(json["counts"]?["drifted"] == 2)
    #expect(json["interactions"]?[0]?["hits"] == 5)
    #expect(json["unmatched"]?[0]?["count"] == 2)
    #expect(json["unmatched"]?[0]?["nearest"]?[0]?["differences"]?[0]?["received"] == .null)
    #expect(
      json["failures"]?[0]
        == ["method": "GET", "target": "/f", "count": 3, "cause": "dns_error", "reason": "no such host"])
    #expect(json["otherFailures"] == 4)
    #expect(json["drift"]?[0] == ["field": "$.n", "count": 2, "recorded": "1", "received": nil])
  }

  @Test func failedExchangesAreGroupedAndBounded() {
    let statistics = ProxyStatistics()
    for _ in 0..<2 {
      statistics.countFailed(ExchangeFailure(cause: "dns_error", detail: "a"), method: "GET", target: "/a")
    }
    statistics.countFailed(
      ExchangeFailure(cause: "connection_refused", detail: "b"), method: "GET", target: "/a")
    #expect(statistics.summary.failures.map(\.count) == [2, 1])
    for index in 0..<1000 {
      statistics.countFailed(
        ExchangeFailure(cause: "dns_error", detail: "a"), method: "GET", target: "/\(index)")
    }
    #expect(statistics.summary.failures.count == GroupLedger<FailedExchange>.maximumGroups)
    #expect(statistics.summary.otherFailures == 1000 - (GroupLedger<FailedExchange>.maximumGroups - 2))
    #expect(statistics.summary.failed == 1003)
  }

  @Test(arguments: RecordMode.allCases)
  func onlyARecordingOfNothingButFailuresIsEmpty(mode: RecordMode) {
    var summary = ProxySummary()
    #expect(summary.emptyRecording(mode) == nil)
    summary.failed = 2
    #expect((summary.emptyRecording(mode) != nil) == [.all, .once, .newEpisodes].contains(mode))
    summary.recorded = 1
    #expect(summary.emptyRecording(mode) == nil)
    (summary.recorded, summary.replayed) = (0, 1)
    #expect(summary.emptyRecording(mode) == nil)
  }

  @Test(arguments: [(RunRule.unused, 1), (.drift, 2), (.unmatched, 3), (.repeat, 4)])
  func rulesCountTheirBreaches(rule: RunRule, count: Int) {
    var summary = ProxySummary()
    #expect(summary.breaches(of: rule) == 0)
    (summary.unused, summary.drifted, summary.unmatched, summary.repeated) = (1, 2, 3, 4)
    #expect(summary.breaches(of: rule) == count)
  }

  @Test(arguments: [
    (ExhaustionPolicy.repeatLast, [0, 0, 0], 0), (.repeatLast, [1, 1, 0], 2), (.repeatLast, [1, 1, 3], 5),
    (.loop, [2, 2, 1], 5), (.miss, [1, 1, 1], 3), (.miss, [1, 1, 1], 9),
  ])
  func hitsAreKnownOfEachAnswer(policy: ExhaustionPolicy, hits: [Int], asked: Int) {
    let answers = (0..<3).map { index in
      StoredInteraction(
        "\(index).json",
        Interaction(
          request: HTTPRequest(.get, "/"), response: RecordedResponse(head: HTTPResponseHead(status: 200))),
        key: RequestMatcher().key(for: HTTPRequest(.get, "/")))
    }
    let sequence = InteractionSequence(answers)
    for _ in 0..<asked { _ = sequence.next(onExhausted: policy) }
    #expect(sequence.uses(onExhausted: policy) == hits)
  }
}
