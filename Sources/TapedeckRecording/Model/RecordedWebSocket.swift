package import TapedeckHTTP

/// What was said over a WebSocket, in the order in which it came (RFC 6455). Pings and pongs are not kept.
@usableFromInline package struct RecordedWebSocket: Sendable, Equatable {
  package struct Message: Sendable, Equatable {
    package var from: WebSocketReader.Side
    package var isText: Bool
    package var bytes: [UInt8]
    /// Counted from the request.
    package var atMilliseconds: Double

    package init(from: WebSocketReader.Side, isText: Bool, bytes: [UInt8], atMilliseconds: Double) {
      (self.from, self.isText) = (from, isText)
      (self.bytes, self.atMilliseconds) = (bytes, atMilliseconds)
    }

    package var content: WebSocketMessage { isText ? .text(bytes) : .binary(bytes) }
  }

  /// The first Close frame.
  package struct Close: Sendable, Equatable {
    package var from: WebSocketReader.Side
    /// `nil` if it held none.
    package var code: Int?
    package var reason: [UInt8]

    package init(from: WebSocketReader.Side, code: Int?, reason: [UInt8]) {
      (self.from, self.code, self.reason) = (from, code, reason)
    }
  }

  package var messages: [Message]
  /// `nil` if the connection ended without one.
  package var close: Close?

  package init(messages: [Message] = [], close: Close? = nil) {
    (self.messages, self.close) = (messages, close)
  }

  var heldBytes: Int { messages.reduce(0) { $0 + $1.bytes.count } }
}

extension Interaction {
  /// Applies a change to every text of its WebSocket: the messages, and why it was closed.
  mutating func changeMessages(_ change: ([UInt8]) -> [UInt8]) {
    guard var webSocket = response.webSocket else { return }
    for index in webSocket.messages.indices {
      webSocket.messages[index].bytes = change(webSocket.messages[index].bytes)
    }
    if let close = webSocket.close { webSocket.close?.reason = change(close.reason) }
    response.webSocket = webSocket
  }
}
