package import TapedeckHTTP
internal import TapedeckRecording

/// The messages of a WebSocket as people see them: without secrets, and as many as fit on a page.
package struct ShownWebSocket: Sendable {
  package struct Message: Sendable {
    var content: RecordedWebSocket.Message
    /// Its size as it was sent.
    package let bytes: Int
    package let isCut: Bool
    package var from: WebSocketReader.Side { content.from }
    package var isText: Bool { content.isText }
    /// As far as it is held.
    package var held: [UInt8] { content.bytes }
    /// Counted from the request.
    package var atMilliseconds: Double { content.atMilliseconds }

    init(_ message: RecordedWebSocket.Message, limit: Int = ShownMessage.maximumBodyBytes) {
      content = message
      bytes = message.bytes.count
      isCut = bytes > limit
      guard isCut else { return }
      var end = limit
      // A text ends between characters.
      while message.isText, end > 0, message.bytes[end] & 0xC0 == 0x80 { end -= 1 }
      content.bytes = Array(message.bytes[..<end])
    }
  }

  /// The first Close frame.
  package struct Close: Sendable {
    package let from: WebSocketReader.Side
    package let code: Int?
    package let reason: [UInt8]

    init(_ close: RecordedWebSocket.Close) { (from, code, reason) = (close.from, close.code, close.reason) }
  }

  package internal(set) var messages: [Message]
  /// How many earlier messages are not here.
  package let omittedBefore: Int
  /// How many later messages are not here.
  package let omittedAfter: Int
  /// `nil` if the connection is open, or ended without a Close frame.
  package internal(set) var close: Close?
  package let isOpen: Bool
  /// Why nothing more was read, if so.
  package let problem: String?

  static let maximumMessages = 1_000

  /// The first of these, as far as they fit.
  static func fitting(_ messages: some Sequence<Message>) -> [Message] {
    var fitting: [Message] = []
    var bytes = 0
    for message in messages {
      bytes += message.content.bytes.count
      guard fitting.count < maximumMessages, fitting.isEmpty || bytes <= ShownMessage.maximumBodyBytes else {
        break
      }
      fitting.append(message)
    }
    return fitting
  }
}

extension ShownWebSocket {
  /// The first messages of a recording.
  init(_ recorded: RecordedWebSocket) {
    let fitting = Self.fitting(recorded.messages.lazy.map { Message($0) })
    self.init(
      messages: fitting, omittedBefore: 0, omittedAfter: recorded.messages.count - fitting.count,
      close: recorded.close.map { Close($0) }, isOpen: false, problem: nil)
  }

  /// What was logged, in the words of a redacted interaction with the same messages.
  func saying(_ redacted: RecordedWebSocket) -> ShownWebSocket {
    var shown = self
    shown.close = redacted.close.map { Close($0) }
    for (index, message) in redacted.messages.enumerated() where shown.messages.indices.contains(index) {
      shown.messages[index].content = message
    }
    return shown
  }

  /// The messages and the Close frame, to be redacted.
  var recorded: RecordedWebSocket {
    RecordedWebSocket(
      messages: messages.map(\.content),
      close: close.map { .init(from: $0.from, code: $0.code, reason: $0.reason) })
  }
}
