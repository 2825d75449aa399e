import TapedeckHTTP
import Testing

@testable import TapedeckMaintenance
@testable import TapedeckRecording

/// What was said: `> text` by the client, anything else by the server, `close CODE` at the end.
private func conversation(_ lines: [String]) -> RecordedWebSocket {
  var said = RecordedWebSocket()
  for line in lines {
    if line.hasPrefix("close ") {
      said.close = .init(from: .server, code: Int(line.dropFirst(6)), reason: [])
    } else {
      let isClient = line.hasPrefix("> ")
      let (text, isText) = (isClient ? String(line.dropFirst(2)) : line, line != "binary")
      said.messages.append(
        .init(from: isClient ? .client : .server, isText: isText, bytes: Array(text.utf8), atMilliseconds: 0))
    }
  }
  return said
}

private struct Row: Sendable, CustomTestStringConvertible {
  let recorded: [[String]]
  let live: [String]
  let drifts: [String]
  var testDescription: String { "\(recorded) → \(live)" }

  init(_ recorded: [String]..., live: [String], _ drifts: String...) {
    (self.recorded, self.live, self.drifts) = (recorded, live, drifts)
  }
}

private let rows: [Row] = [
  // Neither values nor numbers and order of one kind are a shape.
  Row([#"{"type": "a", "n": 1}"#, #"{"type": "b"}"#], live: [#"{"type": "b"}"#, #"{"type": "a", "n": 2}"#]),
  Row([#"{"type": "a"}"#], live: [#"{"type": "a"}"#, #"{"type": "a"}"#]),
  Row(["> x", "hello"], live: ["> x", "goodbye"]),
  // Within a kind, fields are compared as in bodies.
  Row(
    [#"{"type": "a", "n": 1}"#], live: [#"{"type": "a", "n": "1"}"#],
    #"breaking type-changed message "a" $.n"#),
  Row(
    [#"{"op": "a", "n": 1}"#], [#"{"op": "a"}"#], live: [#"{"op": "a"}"#],
    #"info field-removed message "a" $.n"#),
  // A kind that is gone, and one that is new.
  Row(
    [#"{"event": "a"}"#], live: [#"{"event": "b"}"#], #"breaking message-removed message "a""#,
    #"info message-added message "b""#),
  // What only another recording has may be missing.
  Row([#"{"type": "a"}"#], [#"{"type": "a"}"#, #"{"type": "b"}"#], live: [#"{"type": "a"}"#]),
  // Messages without a name, by the client's message before them.
  Row(
    ["> 1", "[1]", "> 2", "text"], live: ["> 1", "> 2", "text"],
    "breaking message-removed messages after the client's message 1"),
  Row(["> 1", "[1]"], live: ["> 1", "text"], "breaking body-changed messages after the client's message 1"),
  Row(["text"], live: ["binary"], "notable body-changed first messages"),
  // Its end.
  Row(["close 1000"], live: ["close 1001"], "notable close-changed close"),
  Row(["close 1000"], live: [], "notable close-changed close"),
  Row([], live: ["close 1011"], "breaking close-changed close"),
  Row(["close 1000"], [], live: []),
]

@Test(arguments: rows) private func `what a server says is compared by kind`(row: Row) {
  let drifts = Drift.webSocketDrifts(row.recorded.map(conversation), conversation(row.live))
  #expect(drifts.map { "\($0.severity) \($0.kind.rawValue) \($0.place)" } == row.drifts)
}

@Test func `a response that opens no WebSocket has only the drift of its status`() {
  #expect(Drift.webSocketDrifts([conversation(["a"])], nil).isEmpty)
}
