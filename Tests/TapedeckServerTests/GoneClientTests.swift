import Glibc
import Synchronization
import TapedeckHTTP
import TapedeckServer
import TapedeckSockets
import TestSupport
import Testing

/// Counts what it is asked for; `/hold` keeps the loop until the test lets it go.
private final class Counter: Responder, Sendable {
  let isHeld: Latch
  let goesOn: Latch
  let late = Atomic(0)

  init() throws { (isHeld, goesOn) = (try Latch(), try Latch()) }

  func respond(to request: HTTPRequest, decisions: DecisionCollector?) -> ServedResponse? {
    if request.targetText == "/hold" {
      isHeld.signal()
      goesOn.wait()
    }
    if request.targetText == "/late" { late.add(1, ordering: .relaxed) }
    return ServedResponse(
      .response(HTTPResponse(status: 200, contentType: "text/plain", body: [])), by: .route)
  }
}

private func get(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: h\r\n\r\n" }

@Test func `what a client asked before it reset the connection is not worked on`() throws {
  let counter = try Counter()
  let server = try HTTPServer(
    address: SocketAddress(host: "127.0.0.1", port: 0), threads: 1, makeResponder: { _ in counter })
  defer { server.stop(graceMilliseconds: 0) }
  let (holder, leaver, stayer) = (
    try Client(server.address.port), try Client(server.address.port), try Client(server.address.port)
  )
  for client in [holder, leaver, stayer] {
    client.say(get("/"))
    #expect(client.status() == 200)
  }
  holder.say(get("/hold"))
  counter.isHeld.wait()
  for _ in 0..<10 { leaver.say(get("/late")) }
  leaver.reset()
  stayer.say(get("/"))
  counter.goesOn.signal()
  #expect(holder.status() == 200)
  #expect(stayer.status() == 200)
  #expect(counter.late.load(ordering: .relaxed) == 0)
}
