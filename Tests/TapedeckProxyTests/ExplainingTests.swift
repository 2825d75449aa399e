import TapedeckHTTP
import Testing

@testable import TapedeckProxy

/// The field that says who answered.
@Suite struct ExplainingTests {
  private static let response = HTTPResponse(status: 200, contentType: "text/plain", body: Array("x".utf8))

  private static func miss(nearest: String) -> Miss {
    Miss(
      method: "GET", target: "/", detail: "",
      nearest: [.init(file: nearest, request: "GET /", differences: [])],
      fixes: [], curl: "", sort: "")
  }

  private static func collector(
    _ source: ServedResponse.Source, rule: String? = nil, _ reason: Decision.Reason?
  ) -> DecisionCollector {
    let decisions = DecisionCollector()
    if let reason { decisions.respond(Decision.Link(source), rule: rule, reason) }
    return decisions
  }

  @Test(arguments: [
    (Decision.Reason?.none, ServedResponse.Source.route, "route"),
    (.forwarded(isRecorded: true), .upstream, "upstream;recorded"),
    (.forwarded(isRecorded: false), .upstream, "upstream"),
    (
      .replayed(.init(file: "get-a-1.json", turn: 3, turns: 2, drift: ["$.n", #"query "ts""#])), .cassette,
      #"cassette;file="get-a-1.json";turn=3;of=2;drift="$.n, query \"ts\"""#
    ),
    (
      .missed(miss(nearest: "a\\b\r\nX: é.json"), isFirst: true), .unmatched,
      #"unmatched;nearest="a\\b??X: ??.json""#
    ),
  ])
  func saysWhoAnswered(reason: Decision.Reason?, source: ServedResponse.Source, value: String) {
    #expect(ExplainField.value(source, Self.collector(source, reason).decisions, nil) == value)
  }

  @Test func `names the request of a session`() {
    let decisions = Self.collector(.route, nil)
    decisions.number(3)
    #expect(ExplainField.value(.route, decisions.decisions, nil) == "route;request=3")
  }

  private func explained(_ content: ServedResponse.Content, by source: ServedResponse.Source)
    -> ServedResponse.Content
  {
    ExplainField.added(to: ServedResponse(content, by: source), Self.collector(source, nil))
  }

  @Test func aResponseGetsTheField() throws {
    guard case .response(let response) = explained(.response(Self.response), by: .route) else {
      Issue.record("no response")
      return
    }
    #expect(response.head.fields.text("tapedeck-answer") == "route")
    #expect(response.body == Self.response.body)
  }

  @Test(arguments: [nil, [1]]) func aPreparedAnswerGetsTheField(chunks: [Int]?) throws {
    let prepared = PreparedResponse(Self.response, to: .get, chunks: chunks)
    guard case .prepared(let explained) = explained(.prepared(prepared), by: .cassette) else {
      Issue.record("not prepared")
      return
    }
    #expect(explained.openHead == prepared.openHead + "Tapedeck-Answer: cassette\r\n".utf8)
    #expect(explained.wireBody == prepared.wireBody)
    #expect(explained.contentBytes == prepared.contentBytes)
    #expect(explained.unchunked?.head.fields.text("tapedeck-answer") == (chunks == nil ? nil : "cassette"))
  }
}
