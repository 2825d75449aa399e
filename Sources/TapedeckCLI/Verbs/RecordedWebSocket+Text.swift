import TapedeckHTTP
import TapedeckRecording

extension RecordedWebSocket {
  /// A line for each message, `→` of the client and `←` of the server, and how it closed.
  func text(hidesVolatile: Bool) -> String {
    var text = ""
    for message in messages {
      let time = hidesVolatile ? "" : " " + "\(Int(message.atMilliseconds.rounded())) ms".painted(.dim)
      text += Self.arrow(message.from) + time + " " + message.shown + "\n"
    }
    if let close {
      let code = close.code.map { " \($0)" } ?? ""
      let reason = close.reason.isEmpty ? "" : " " + Printable.line(close.reason)
      text += "\(Self.arrow(close.from)) \("(closes\(code)\(reason))".painted(.dim))\n"
    }
    return text
  }

  /// Like `12 messages`.
  var summary: String { messages.count == 1 ? "1 message" : "\(messages.count) messages" }

  private static func arrow(_ side: WebSocketReader.Side) -> String {
    (side == .client ? "→" : "←").painted(.dim)
  }
}

extension RecordedWebSocket.Message {
  fileprivate var shown: String {
    isText ? Printable.line(bytes) : "(\(HumanText.size(bytes.count)) of binary data)"
  }
}
