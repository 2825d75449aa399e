internal import Synchronization
public import TapedeckHTTP

/// An open WebSocket, as the handler of a route sees it (RFC 6455).
///
/// ```swift
/// router.webSocket("/chat/{room}") { socket in
///   try await socket.send("welcome to \(socket.request.components["room"]!)")
///   for await message in socket {
///     try await socket.send(message)
///   }
/// }
/// ```
///
/// The loop ends when the client closes or is gone. When the handler returns, the WebSocket closes with 1000; when it
/// throws, with 1011. Pings are answered, and fragments put together, without the handler. A handler that does not read
/// holds back a client that sends, and `send` waits for a client that does not read.
public final class WebSocket: Sendable {
  /// What one side says.
  public enum Message: Sendable, Hashable {
    /// Text, which is UTF-8 on the wire.
    case text(String)
    /// Bytes as they are.
    case binary([UInt8])

    /// The text; `nil` for a binary message.
    public var text: String? {
      if case .text(let text) = self { text } else { nil }
    }

    /// The message as JSON.
    public func json() throws(JSONError) -> JSONValue { try JSONValue(parsing: bytes) }

    private var bytes: [UInt8] {
      switch self {
      case .text(let text): Array(text.utf8)
      case .binary(let bytes): bytes
      }
    }

    var frame: WebSocketMessage {
      switch self {
      case .text: .text(bytes)
      case .binary: .binary(bytes)
      }
    }
  }

  /// How a WebSocket ended.
  public struct Closed: Error, Hashable, Sendable, CustomStringConvertible {
    /// 1005 if the client gave no code, 1006 if it left without closing (RFC 6455 §7.4.1).
    public let code: Int
    /// The reason that came with the code, often empty.
    public let reason: String

    public var description: String {
      "the WebSocket is closed (\(code)\(reason.isEmpty ? "" : ": \(reason)"))"
    }
  }

  /// The request that opened it, with the values of the route's parameters.
  public let request: Request
  /// The subprotocol that was agreed on; `nil` for none.
  public let subprotocol: String?
  private let transport: any WebSocketTransport

  package init(_ request: Request, subprotocol: String?, _ transport: any WebSocketTransport) {
    self.request = request
    self.subprotocol = subprotocol
    self.transport = transport
  }

  /// Sends a message. Returns when there is room for more.
  /// - Throws: `Closed` when it cannot be sent any more.
  public func send(_ message: Message) async throws(Closed) {
    if let closed = await transport.send(message.frame) { throw closed }
  }

  /// Sends a text.
  /// - Throws: `Closed` when it cannot be sent any more.
  public func send(_ text: String) async throws(Closed) { try await send(.text(text)) }

  /// Sends bytes as a binary message.
  /// - Throws: `Closed` when it cannot be sent any more.
  public func send(_ bytes: [UInt8]) async throws(Closed) { try await send(.binary(bytes)) }

  /// Sends JSON as a text.
  /// - Throws: `Closed` when it cannot be sent any more.
  public func send(json: JSONValue) async throws(Closed) {
    try await send(.text(String(decoding: json.bytes(.compact), as: UTF8.self)))
  }

  /// Waits for the client's next message; `nil` once it has closed or is gone.
  public func receive() async -> Message? {
    switch await transport.receive() {
    case .text(let bytes): .text(String(decoding: bytes, as: UTF8.self))
    case .binary(let bytes): .binary(bytes)
    default: nil
    }
  }

  /// Closes with a code and a reason; does nothing if it is closed already.
  /// - Parameters:
  ///   - code: 1000 to 1003, 1007 to 1014, or 3000 to 4999 (RFC 6455 §7.4).
  ///   - reason: cut to 123 bytes of UTF-8.
  public func close(_ code: Int = 1000, _ reason: String = "") async {
    precondition(WebSocketMessage.maySend(code: code), "\(code) is no code to close a WebSocket with")
    await transport.close(code, Array(reason.utf8))
  }

  /// How it ended; `nil` while it is open.
  public var closed: Closed? { transport.closed }
}

extension WebSocket: AsyncSequence {
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let socket: WebSocket

    public func next() async -> Message? { await socket.receive() }
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(socket: self) }
}

/// Two are equal if they are the same, so that a room can hold its members in a set.
extension WebSocket: Hashable {
  public static func == (left: WebSocket, right: WebSocket) -> Bool { left === right }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// What carries the messages of a WebSocket.
package protocol WebSocketTransport: Sendable {
  /// Returns when there is room for more; `nil` unless it is closed.
  func send(_ message: WebSocketMessage) async -> WebSocket.Closed?
  /// The client's next message; `nil` after the last one.
  func receive() async -> WebSocketMessage?
  func close(_ code: Int, _ reason: [UInt8]) async
  var closed: WebSocket.Closed? { get }
}

extension WebSocket.Closed {
  package init(code: Int, reason: [UInt8]) {
    (self.code, self.reason) = (code, String(decoding: reason, as: UTF8.self))
  }
}
