import Testing

@testable import TapedeckCLI

/// The events of `tapedeck ctl events`, however their bytes are cut.
@Suite struct ServerSentEventsTests {
  private static let text = """
    event: state
    data: {"mode":"none"}

    : alive

    id: 7
    event: requests
    data: [{"id":7,"target":"/grüße"}]


    """
  private static let events = [
    ServerSentEvent(name: "state", data: #"{"mode":"none"}"#),
    ServerSentEvent(name: "requests", data: #"[{"id":7,"target":"/grüße"}]"#),
  ]

  @Test(arguments: [1, 2, 3, 7, 1000]) func `they are the same in pieces of any size`(_ size: Int) {
    var reader = ServerSentEvents()
    let bytes = Array(Self.text.utf8)
    let found = stride(from: 0, to: bytes.count, by: size).flatMap { start in
      reader.events(in: Array(bytes[start..<min(start + size, bytes.count)]))
    }
    #expect(found == Self.events)
  }

  @Test func `an event that has not ended is none yet`() {
    var reader = ServerSentEvents()
    #expect(reader.events(in: Array("event: gap\ndata: {}\n".utf8)).isEmpty)
    #expect(reader.events(in: Array("\n".utf8)) == [ServerSentEvent(name: "gap", data: "{}")])
  }
}
