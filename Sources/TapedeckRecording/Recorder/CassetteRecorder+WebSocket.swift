import TapedeckHTTP
import TapedeckRedaction

extension CassetteRecorder {
  /// What one WebSocket may hold: its line, when all is joined, has to be read again.
  package static var maximumWebSocketBytes: Int { CassetteLimits.journalLineBytes / 2 }

  /// Records what came over a WebSocket whose handshake was recorded, without its secrets. After it returns, a crash of
  /// this process does not lose it.
  /// - Returns: the bytes that it took; 0 after recording has ended.
  /// - Throws: the first failure to write.
  package func record(_ webSocket: RecordedWebSocket, of arrival: Int) throws(CassetteError) -> Int {
    try append(messages: JournalRecord.line(redacted(webSocket), arrival: arrival))
  }

  /// Takes a WebSocket out of the recording.
  /// - Returns: whether it was in there; `false` after recording has ended.
  package func drop(webSocketOf arrival: Int) throws(CassetteError) -> Bool {
    try append(messages: JournalRecord.dropLine(arrival: arrival)) > 0
  }
}

extension RequestMatcher {
  /// A message as it is compared: without its secrets, and JSON as JSON.
  package func compared(message: [UInt8]) -> [UInt8] {
    var request = HTTPRequest(.post, "/")
    request.body = shown(message: message)
    return CanonicalBody(request, rules).bytes
  }

  /// A message without its secrets.
  package func shown(message: [UInt8]) -> [UInt8] {
    var request = HTTPRequest(.post, "/")
    request.body = message
    return redaction.redacted(request).body
  }
}
