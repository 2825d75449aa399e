import Glibc
import TapedeckHTTP
import TapedeckSockets
import TestSupport
import Testing

@testable import TapedeckServer

/// Answers `/hold` with a head and nothing more, everything else at once.
private final class Holder: Responder {
  func respond(to request: HTTPRequest, decisions: DecisionCollector?) -> ServedResponse? {
    guard request.targetText == "/hold" else {
      return ServedResponse(
        .response(HTTPResponse(status: 200, contentType: "text/plain", body: [])), by: .route)
    }
    return ServedResponse(.stream(Silence()), by: .upstream)
  }
}

private final class Silence: ResponseSource {
  func start(into sink: any ResponseSink) { sink.begin(HTTPResponseHead(status: 200), framing: .chunked) }
  func resume() {}
  func cancel() {}
}

/// Where no other test connects: one that tries a port that was free a moment ago would count as a client here.
private let ownAddress = "127.0.0.7"

private func withServer(_ configuration: ServerConfiguration, _ body: (UInt16) throws -> Void) throws {
  let server = try HTTPServer(
    address: SocketAddress(host: ownAddress, port: 0), threads: 2, configuration: configuration,
    makeResponder: { _ in Holder() })
  defer { server.stop(graceMilliseconds: 0) }
  try body(server.address.port)
}

private let get = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"

private func hold(_ count: Int) -> String {
  "POST /hold HTTP/1.1\r\nHost: h\r\nContent-Length: \(count)\r\n\r\n" + String(repeating: "x", count: count)
}

@Test func `who comes above the limit of connections is told 503`() throws {
  var configuration = ServerConfiguration()
  configuration.maxConnections = 2
  try withServer(configuration) { port in
    let inside = [try Client(port, host: ownAddress), try Client(port, host: ownAddress)]
    for client in inside {
      client.say(get)
      #expect(client.status() == 200)
    }
    let outside = try Client(port, host: ownAddress)
    outside.say(get)
    #expect(outside.status() == 503)
    #expect(outside.endsOrderly())
    inside[0].say(get)
    #expect(inside[0].status() == 200)
  }
}

@Test func `bodies in memory are bounded over all connections`() throws {
  var configuration = ServerConfiguration()
  configuration.limits.bodyBytes = 1000
  configuration.heldBodyBytes = 0
  try withServer(configuration) { port in
    let holders = [try Client(port, host: ownAddress), try Client(port, host: ownAddress)]
    for client in holders {
      client.say(hold(900))
      #expect(client.status() == 200)
    }
    let third = try Client(port, host: ownAddress)
    third.say(hold(900))
    #expect(third.status() == 503)
    #expect(third.endsOrderly())
    let small = try Client(port, host: ownAddress)
    small.say(hold(200))
    #expect(small.status() == 200)
  }
}

@Test func `a closing connection swallows what its client still sends`() throws {
  try withServer(ServerConfiguration()) { port in
    let client = try Client(port, host: ownAddress)
    client.say("GET / HTTP/1.1\r\n\r\n")
    // Far beyond what the sockets hold: it only goes out because the other side goes on reading.
    let piece = String(repeating: "x", count: 1 << 20)
    for _ in 0..<64 { client.say(piece) }
    #expect(client.status() == 400)
    #expect(client.endsOrderly())
  }
}

@Test func `a loop whose accept finds nobody takes no place from another loop's client`() {
  let gate = ConnectionGate(maxServed: 1, maxRefused: 1)
  #expect(gate.beginAccepting())  // the loop that finds nobody
  #expect(gate.beginAccepting())
  #expect(gate.admit() == .served)
  gate.acceptedNone()
  #expect(gate.beginAccepting())
  #expect(gate.admit() == .refused)
  #expect(!gate.beginAccepting())
}

@Test func `the gate counts who is in, and what they hold`() {
  let gate = ConnectionGate(maxServed: 2, maxRefused: 1, maxBodyBytes: 10)
  func enter() -> ConnectionGate.Admission? { gate.beginAccepting() ? gate.admit() : nil }
  #expect((1...4).map { _ in enter() } == [.served, .served, .refused, nil])
  gate.leave(.refused)
  #expect(enter() == .refused)
  gate.leave(.served)
  #expect(enter() == .served)

  var (one, other) = (BodyAccount(gate), BodyAccount(gate))
  var fits = [one.hold(6), other.hold(5)]
  other.release()
  fits += [other.hold(4), one.hold(6)]
  one.release()
  fits.append(other.hold(10))
  #expect(fits == [true, false, true, true, true])
}
