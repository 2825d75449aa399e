import TapedeckHTTP
import TapedeckServer
import TapedeckSockets
import TestSupport
import Testing

/// Answers `/whole`, and ends the connection of everything else as its target says, before or in the midst of an answer.
private final class Ending: Responder {
  func respond(to request: HTTPRequest, decisions: DecisionCollector?) -> ServedResponse? {
    let target = request.targetText
    if target == "/whole" {
      return ServedResponse(
        .response(HTTPResponse(status: 201, contentType: "text/plain", body: [])), by: .route)
    }
    return ServedResponse(
      .stream(
        Aborting(
          target.hasSuffix("reset") ? .reset : .close(after: Array("~garbage".utf8)),
          begins: target.hasPrefix("/begun"))), by: .upstream)
  }
}

private final class Aborting: ResponseSource {
  private let end: ConnectionEnd
  private let begins: Bool

  init(_ end: ConnectionEnd, begins: Bool) {
    self.end = end
    self.begins = begins
  }

  func start(into sink: any ResponseSink) {
    if begins { sink.begin(HTTPResponseHead(status: 200), framing: .length(10)) }
    sink.abort(end)
  }

  func resume() {}
  func cancel() { Issue.record("a source that has ended the connection itself is not told to stop") }
}

private final class Log: ExchangeObserver {
  func exchangeFinished(by source: ServedResponse.Source, _ summary: () -> ExchangeSummary) {
    let summary = summary()
    #expect(summary.wasCutShort == (summary.source == .upstream))
  }
}

@Test(
  arguments: [
    ("/close", nil, true), ("/reset", nil, false), ("/begun/close", 200, true), ("/begun/reset", 200, false),
  ] as [(String, Int?, Bool)])
func `a source may end the connection, and what came before it arrives`(
  _ target: String, _ status: Int?, _ isOrderly: Bool
) throws {
  let server = try HTTPServer(
    address: SocketAddress(host: "127.0.0.1", port: 0), threads: 1, makeObserver: { _ in Log() },
    makeResponder: { _ in Ending() })
  defer { server.stop(graceMilliseconds: 1000) }
  let client = try Client(server.address.port)
  client.say("GET /whole HTTP/1.1\r\nHost: h\r\n\r\n")
  #expect(client.status() == 201)
  client.say("GET \(target) HTTP/1.1\r\nHost: h\r\n\r\nGET /whole HTTP/1.1\r\nHost: h\r\n\r\n")
  if status != nil { #expect(client.status() == status) }
  #expect(client.endsOrderly() == isOrderly)
  let other = try Client(server.address.port)
  other.say("GET /whole HTTP/1.1\r\nHost: h\r\n\r\n")
  #expect(other.status() == 201)
}
