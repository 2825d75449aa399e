import RecordingTestSupport
import TapedeckHTTP
import Testing

@testable import TapedeckFormats
@testable import TapedeckRecording

private func entry(_ messages: String, own: String = "") throws -> ImportedSession {
  let text = """
    {"log": {"entries": [{"startedDateTime": "2026-01-02T03:04:05.000Z", "time": 20,
    "request": {"method": "GET", "url": "wss://api.test/chat?room=7", "headers": [
      {"name": "Upgrade", "value": "websocket"}, {"name": "Connection", "value": "Upgrade"},
      {"name": "Sec-WebSocket-Version", "value": "13"}, {"name": "Sec-WebSocket-Key", "value": "x"},
      {"name": "Sec-WebSocket-Extensions", "value": "permessage-deflate"}]},
    "response": {"status": 101, "headers": [
      {"name": "Upgrade", "value": "websocket"}, {"name": "Sec-WebSocket-Accept", "value": "y"},
      {"name": "Sec-WebSocket-Extensions", "value": "permessage-deflate"}]},
    "_webSocketMessages": \(messages)}]}}
    """
  return try ImportedSession.read(ImportSource(path: "chromium.har", bytes: Array(text.utf8)))
}

@Suite struct `WebSockets in HAR` {
  @Test func `those of Chromium are imported with their times`() throws {
    let session = try entry(
      """
      [{"type": "send", "time": 1767323045.05, "opcode": 1, "data": "grüße"},
       {"type": "receive", "time": 1767323045.1005, "opcode": 2, "data": "AQI="}]
      """)
    let interaction = try #require(session.exchanges.first?.interaction)
    #expect(session.exchanges.first?.origin == "https://api.test")
    #expect(interaction.response.head.status == 101)
    #expect(interaction.response.head.fields.map { String(decoding: $0.name, as: UTF8.self) } == ["Upgrade"])
    #expect(!interaction.request.fields.contains("sec-websocket-key"))
    let messages = try #require(interaction.response.webSocket?.messages)
    #expect(messages.map(\.from) == [.client, .server])
    #expect(messages.map(\.bytes) == [Array("grüße".utf8), [1, 2]])
    #expect(messages.map(\.isText) == [true, false])
    #expect(zip(messages, [50, 100.5]).allSatisfy { abs($0.atMilliseconds - $1) < 0.01 })
  }

  @Test(arguments: [
    (#"[{"type": "say", "data": "a"}]"#, "message 1"),
    (#"[{"type": "send", "opcode": 2, "data": "%"}]"#, "base64"), ("null", "_webSocketMessages"),
  ])
  func `what makes no sense is refused`(messages: String, problem: String) throws {
    let session = try entry(messages)
    #expect(session.exchanges.isEmpty)
    #expect(session.notes.contains { "\($0)".contains(problem) })
  }
}
