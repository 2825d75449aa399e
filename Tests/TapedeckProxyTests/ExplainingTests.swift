import TapedeckHTTP
import Testing

@testable import TapedeckProxy

/// The field that says who answered.
@Suite struct ExplainingTests {
  private final class Fixed: Responder {
    let answer: ServedResponse?
    init(_ answer: ServedResponse?) { self.answer = answer }
    func respond(to request: HTTPRequest) -> ServedResponse? { answer }
  }

  private static let response = HTTPResponse(status: 200, contentType: "text/plain", body: Array("x".utf8))

  @Test(arguments: [
    (ResponseExplanation?.none, ServedResponse.Source.route, "route"),
    (ResponseExplanation(isRecorded: true), .upstream, "upstream;recorded"),
    (ResponseExplanation(), .upstream, "upstream"),
    (
      ResponseExplanation(file: "get-a-1.json", turn: 3, turns: 2, drift: ["$.n", #"query "ts""#]), .cassette,
      #"cassette;file="get-a-1.json";turn=3;of=2;drift="$.n, query \"ts\"""#
    ),
    (ResponseExplanation(nearest: "a\\b\r\nX: é.json"), .unmatched, #"unmatched;nearest="a\\b??X: ??.json""#),
  ])
  func saysWhoAnswered(explanation: ResponseExplanation?, source: ServedResponse.Source, value: String) {
    #expect(
      ExplainingResponder.value(
        ServedResponse(.response(Self.response), by: source, explanation: explanation))
        == value)
  }

  @Test func aResponseGetsTheField() throws {
    let responder = ExplainingResponder(before: Fixed(ServedResponse(.response(Self.response), by: .route)))
    guard case .response(let response)? = try responder.respond(to: HTTPRequest(.get, "/"))?.content else {
      Issue.record("no response")
      return
    }
    #expect(response.head.fields.text("tapedeck-answer") == "route")
    #expect(response.body == Self.response.body)
  }

  @Test(arguments: [nil, [1]]) func aPreparedAnswerGetsTheField(chunks: [Int]?) throws {
    let prepared = PreparedResponse(Self.response, to: .get, chunks: chunks)
    let responder = ExplainingResponder(before: Fixed(ServedResponse(.prepared(prepared), by: .cassette)))
    guard case .prepared(let explained)? = try responder.respond(to: HTTPRequest(.get, "/"))?.content else {
      Issue.record("not prepared")
      return
    }
    #expect(explained.openHead == prepared.openHead + "Tapedeck-Answer: cassette\r\n".utf8)
    #expect(explained.wireBody == prepared.wireBody)
    #expect(explained.contentBytes == prepared.contentBytes)
    #expect(explained.unchunked?.head.fields.text("tapedeck-answer") == (chunks == nil ? nil : "cassette"))
  }

  @Test func noAnswerStaysNone() throws {
    #expect(try ExplainingResponder(before: Fixed(nil)).respond(to: HTTPRequest(.get, "/")) == nil)
  }
}
