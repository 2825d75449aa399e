import RecordingTestSupport
import TapedeckHTTP
import Testing

@testable import TapedeckRecording
@testable import TapedeckRedaction

@Suite struct WebSocketRecordingTests {
  private static func handshake(_ target: String) -> Interaction {
    var handshake = exchange(
      "GET", target, headers: [("Sec-WebSocket-Version", "13")], status: 101,
      answers: [("Upgrade", "websocket")],
      body: [])
    handshake.response.webSocket = RecordedWebSocket()
    return handshake
  }

  private static func message(_ text: String, from side: WebSocketReader.Side, at: Double)
    -> RecordedWebSocket
  {
    RecordedWebSocket(messages: [.init(from: side, isText: true, bytes: Array(text.utf8), atMilliseconds: at)]
    )
  }

  private static let binary = RecordedWebSocket(
    messages: [.init(from: .server, isText: false, bytes: [0, 255], atMilliseconds: 4.25)])
  private static let close = RecordedWebSocket(
    close: .init(from: .client, code: 1000, reason: Array("bye".utf8)))

  /// Two sockets whose messages come in turn, a plain exchange between them, and a socket that is dropped.
  private static func converse(_ recorder: CassetteRecorder) throws {
    for (arrival, target) in ["/a", "/b", "/dropped"].enumerated() {
      try recorder.record(handshake(target), arrival: arrival)
    }
    for number in 1...3 {
      for arrival in 0..<3 {
        let text = "message \(number) of \(arrival)"
        #expect(try recorder.record(message(text, from: .client, at: Double(number)), of: arrival) > 0)
      }
      try recorder.record(exchange("GET", "/plain/\(number)"), arrival: 10 + number)
    }
    #expect(try recorder.drop(webSocketOf: 2))
    _ = try recorder.record(binary, of: 1)
    _ = try recorder.record(close, of: 1)
  }

  private static func expected(_ arrival: Int) -> RecordedWebSocket {
    var whole = RecordedWebSocket()
    for number in 1...3 {
      whole.messages += message("message \(number) of \(arrival)", from: .client, at: Double(number)).messages
    }
    guard arrival == 1 else { return whole }
    whole.messages += binary.messages
    whole.close = close.close
    return whole
  }

  private static func check(_ path: String) throws {
    let all = try Cassette.load(path).interactions.map(\.interaction)
    #expect(all.count == 5)
    for (arrival, target) in ["/a", "/b"].enumerated() {
      let found = try #require(all.first { $0.request.targetText == target })
      #expect(found.response.webSocket == expected(arrival))
    }
  }

  @Test func `each socket gets its own messages, sealed, left over and recovered`() throws {
    let folder = try TemporaryDirectory()
    let recorder = try CassetteRecorder.open(testing: folder("sealed"))
    try Self.converse(recorder)
    #expect(try recorder.seal().written == 5)
    try Self.check(folder("sealed"))
    try Self.converse(try CassetteRecorder.open(testing: folder("left")))
    try Self.check(folder("left"))
    let next = try CassetteRecorder.open(testing: folder("left"))
    #expect(next.recoveredCount == 5 && next.warnings.isEmpty)
    _ = try next.seal()
    #expect(try folder.contents(of: "left") == folder.contents(of: "sealed"))
  }

  @Test func `a torn last line is told, and takes nothing else along`() throws {
    let folder = try TemporaryDirectory()
    try Self.converse(try CassetteRecorder.open(testing: folder("c")))
    try folder.write("c/journal.jsonl", try folder.read("c/journal.jsonl").dropLast(9))
    let next = try CassetteRecorder.open(testing: folder("c"))
    #expect(next.recoveredCount == 5 && next.warnings.count == 1)
    _ = try next.seal()
    let all = try Cassette.load(folder("c")).interactions.map(\.interaction)
    let torn = try #require(all.first { $0.request.targetText == "/b" }?.response.webSocket)
    #expect(torn.close == nil && torn.messages.count == 4)
  }

  @Test func `no secret of a message is written`() throws {
    let folder = try TemporaryDirectory()
    let secret = "sk_live_4eC39HqLyjWDarjtT1zdp7dc"
    let recorder = try CassetteRecorder.open(testing: folder("c"))
    try recorder.record(Self.handshake("/a"), arrival: 0)
    _ = try recorder.record(Self.message(#"{"token":"\#(secret)"}"#, from: .server, at: 1), of: 0)
    #expect(!(try folder.text("c/journal.jsonl")).contains(secret))
    _ = try recorder.seal()
    let name = try #require(try folder.names(of: "c").first { $0.hasPrefix("get-a") })
    #expect(!(try folder.text("c/\(name)")).contains(secret))
  }

  @Test func `a plain request gets no handshake, and a handshake no plain response`() throws {
    let folder = try TemporaryDirectory()
    let recorder = try CassetteRecorder.open(testing: folder("c"))
    try recorder.record(Self.handshake("/a"), arrival: 0)
    try recorder.record(exchange("GET", "/b"), arrival: 1)
    _ = try recorder.seal()
    let cassette = try Cassette.load(folder("c"))
    #expect(cassette.sequence(for: Self.handshake("/a").request) != nil)
    #expect(cassette.sequence(for: exchange("GET", "/a").request) == nil)
    #expect(cassette.substitute(for: exchange("GET", "/a").request) == nil)
    #expect(cassette.sequence(for: Self.handshake("/b").request) == nil)
    #expect(cassette.substitute(for: Self.handshake("/b").request) == nil)
  }
}
