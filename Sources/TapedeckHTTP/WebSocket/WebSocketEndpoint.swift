/// The server's end of a WebSocket that is served here (RFC 6455), for a class that knows what to say.
///
/// The defaults read what the client sends, return its pings, and close when it closes or breaks the protocol. A client
/// that does not read is not read from either, so what is under way stays bounded.
package protocol WebSocketEndpoint: TunnelSource {
  var reader: WebSocketReader { get set }
  /// The client; `nil` before the start and after the end.
  var sink: (any ResponseSink)? { get set }
  /// Whether the client has to read first.
  var isSinkFull: Bool { get set }
  /// Whether another message of the client is wanted now. `onRoom` says when it is again.
  var wantsMore: Bool { get }
  /// Called with a text or binary message of the client.
  func received(_ message: WebSocketMessage)
  /// Called once, when nothing can be sent any more.
  /// - Parameter code: the client's, or 1006 if it left without one (RFC 6455 §7.1.5).
  func ended(code: Int, reason: [UInt8])
}

extension WebSocketEndpoint {
  /// A message larger than this is refused with 1009.
  package static var maximumMessageBytes: Int { 64 << 20 }

  package var wantsMore: Bool { true }

  // MARK: From the client

  package func take(_ bytes: UnsafeRawBufferPointer) -> Int {
    var offset = 0
    do throws(WebSocketError) {
      while sink != nil, wantsMore, !isSinkFull, let message = try reader.next(bytes, at: &offset) {
        take(message)
      }
    } catch {
      close(error.code, Array("\(error)".utf8))
    }
    return sink == nil ? bytes.count : offset
  }

  private func take(_ message: WebSocketMessage) {
    switch message {
    case .text, .binary: received(message)
    case .ping(let payload): send(.pong(payload))
    case .pong: break
    case .close(let code, let reason):
      // RFC 6455 §5.5.1: the reply echoes the code, and the server ends the connection.
      send(.close(code: code, reason: []))
      end(code: code ?? 1005, reason: reason)
    }
  }

  package func clientFinished() { end(code: 1006, reason: []) }

  package func cancel() {
    guard sink != nil else { return }
    sink = nil
    ended(code: 1006, reason: [])
  }

  // MARK: To the client

  package func send(_ message: WebSocketMessage) {
    guard let sink else { return }
    switch message.frame().withUnsafeBytes({ sink.write($0, endsChunk: true) }) {
    case .more: break
    case .wait: isSinkFull = true
    case .gone: cancel()
    }
  }

  /// Sends Close and ends the connection, as a server may do without waiting for a reply (RFC 6455 §7.1.1).
  package func close(_ code: Int?, _ reason: [UInt8]) {
    send(.close(code: code, reason: reason))
    end(code: code ?? 1005, reason: reason)
  }

  private func end(code: Int, reason: [UInt8]) {
    guard let last = sink else { return }
    sink = nil
    ended(code: code, reason: reason)
    last.end(trailers: HTTPFields())
  }
}
