import TapedeckHTTP
import TapedeckRecording

extension InteractionComparison {
  /// Compares two WebSockets message by message, without their times: JSON by path, and what one has more than the other.
  static func webSockets(_ old: RecordedWebSocket, _ new: RecordedWebSocket) -> [RequestDifference] {
    var found: [RequestDifference] = []
    for (index, (left, right)) in zip(old.messages, new.messages).enumerated() {
      let field = "message \(index + 1)"
      found += values("\(field) is from", left.from, right.from) { InteractionFormat.name($0) }
      found += values("\(field) is", left.isText, right.isText) { $0 ? "text" : "binary" }
      found += contents(.bytes(left.bytes), .bytes(right.bytes), field: field)
      if found.count >= maximumDifferences { break }
    }
    found += values("messages", old.messages.count, new.messages.count) { "\($0)" }
    return found + values("close", old.close, new.close, text)
  }

  private static func text(_ close: RecordedWebSocket.Close?) -> String? {
    guard let close else { return nil }
    let code = close.code.map { " \($0)" } ?? ""
    let reason = close.reason.isEmpty ? "" : " \(RequestDifference.quoted(close.reason[...]))"
    return "by the \(InteractionFormat.name(close.from))\(code)\(reason)"
  }
}
