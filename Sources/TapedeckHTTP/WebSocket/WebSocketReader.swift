/// Reads what one side of a WebSocket sends, strictly and without I/O (RFC 6455 §5).
///
/// Input may be cut anywhere. Fragments become one message; controls come between them as they do on the wire.
/// No extension is understood, so the reserved bits are 0. After a Close frame nothing is read (§5.5.1); after an
/// error the reader is done.
package struct WebSocketReader {
  package enum Side: Sendable { case client, server }

  private struct Frame {
    var opcode: WebSocketMessage.Opcode
    var isFinal: Bool
    var remaining: Int
    /// Four bytes for a client, none for a server.
    var mask: [UInt8]
    var position = 0
  }

  private let side: Side
  private let maximumMessageBytes: Int
  /// A frame's head, as far as it has come: 14 bytes at most.
  private var head: [UInt8] = []
  private var frame: Frame?
  /// The message that has begun, with its payload so far.
  private var message: (opcode: WebSocketMessage.Opcode, bytes: [UInt8])?
  private var control: [UInt8] = []
  /// Whether the side has said that it closes.
  package private(set) var hasClosed = false

  /// - Parameter maximumMessageBytes: a longer message is refused with 1009.
  package init(from side: Side, maximumMessageBytes: Int) {
    self.side = side
    self.maximumMessageBytes = maximumMessageBytes
  }

  /// Returns the next message or control, reading `bytes` from `offset`; `nil` when all bytes are used up.
  package mutating func next(
    _ bytes: UnsafeRawBufferPointer, at offset: inout Int
  ) throws(WebSocketError) -> WebSocketMessage? {
    while !hasClosed {
      if frame == nil, try !readHead(bytes, at: &offset) { return nil }
      guard var current = frame else { return nil }
      let count = min(current.remaining, bytes.count - offset)
      append(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]), of: current)
      offset += count
      current.remaining -= count
      current.position += count
      frame = current.remaining == 0 ? nil : current
      guard frame == nil else { return nil }
      if let message = try complete(current) { return message }
    }
    offset = bytes.count
    return nil
  }

  private mutating func append(_ piece: UnsafeRawBufferPointer, of frame: Frame) {
    var unmasked = Array(piece)
    if !frame.mask.isEmpty {
      for index in unmasked.indices { unmasked[index] ^= frame.mask[(frame.position + index) % 4] }
    }
    if frame.opcode.isControl { control += unmasked } else { message?.bytes += unmasked }
  }

  // MARK: Frame heads

  /// Returns whether the head is complete.
  private mutating func readHead(
    _ bytes: UnsafeRawBufferPointer, at offset: inout Int
  ) throws(WebSocketError) -> Bool {
    while offset < bytes.count {
      head.append(bytes[offset])
      offset += 1
      guard head.count >= 2 else { continue }
      if head.count == 2 { try checkStart() }
      guard head.count == headBytes else { continue }
      try beginFrame()
      return true
    }
    return false
  }

  private var lengthBytes: Int {
    switch head[1] & 0x7F {
    case 126: 2
    case 127: 8
    default: 0
    }
  }
  private var headBytes: Int { 2 + lengthBytes + (side == .client ? 4 : 0) }

  private func checkStart() throws(WebSocketError) {
    guard head[0] & 0x70 == 0 else {
      throw .malformed("a reserved bit is set, and no extension was agreed on")
    }
    guard let opcode = WebSocketMessage.Opcode(rawValue: head[0] & 0x0F) else {
      throw .malformed("the opcode \(head[0] & 0x0F) is reserved")
    }
    guard (head[1] & 0x80 != 0) == (side == .client) else {
      throw .malformed(side == .client ? "a client's frame is not masked" : "a server's frame is masked")
    }
    if opcode.isControl {
      guard head[0] & 0x80 != 0 else { throw .malformed("a control frame is fragmented") }
      guard head[1] & 0x7F <= WebSocketMessage.maximumControlBytes else {
        throw .malformed("a control frame is longer than \(WebSocketMessage.maximumControlBytes) bytes")
      }
    } else if (opcode == .continuation) != (message != nil) {
      throw .malformed(
        message == nil ? "a fragment continues no message" : "a message begins inside of another one")
    }
  }

  private mutating func beginFrame() throws(WebSocketError) {
    guard let opcode = WebSocketMessage.Opcode(rawValue: head[0] & 0x0F) else { return }
    var length = UInt64(head[1] & 0x7F)
    if lengthBytes > 0 {
      length = head[2..<2 + lengthBytes].reduce(0) { $0 << 8 | UInt64($1) }
      // RFC 6455 §5.2: in as few bytes as possible, and without the highest bit.
      guard length > (lengthBytes == 2 ? 125 : 0xFFFF), length >> 63 == 0 else {
        throw .malformed("a frame's length is not in its shortest form")
      }
    }
    let held = opcode.isControl ? 0 : message?.bytes.count ?? 0
    guard length <= UInt64(max(0, maximumMessageBytes - held)) || opcode.isControl else {
      throw WebSocketError(1009, "a message is longer than \(maximumMessageBytes) bytes")
    }
    if !opcode.isControl, opcode != .continuation { message = (opcode, []) }
    frame = Frame(
      opcode: opcode, isFinal: head[0] & 0x80 != 0, remaining: Int(length),
      mask: side == .client ? Array(head.suffix(4)) : [])
    head = []
  }

  // MARK: Complete frames

  private mutating func complete(_ frame: Frame) throws(WebSocketError) -> WebSocketMessage? {
    let payload = control
    control = []
    switch frame.opcode {
    case .ping: return .ping(payload)
    case .pong: return .pong(payload)
    case .close: return try close(payload)
    case .continuation, .text, .binary: break
    }
    guard frame.isFinal, let whole = message.take() else { return nil }
    guard whole.opcode == .text else { return .binary(whole.bytes) }
    guard UTF8Scan.isValid(whole.bytes[...]) else { throw WebSocketError(1007, "a text is not UTF-8") }
    return .text(whole.bytes)
  }

  private mutating func close(_ payload: [UInt8]) throws(WebSocketError) -> WebSocketMessage {
    hasClosed = true
    guard !payload.isEmpty else { return .close(code: nil, reason: []) }
    guard payload.count >= 2 else { throw .malformed("a Close frame holds half a code") }
    let code = Int(payload[0]) << 8 | Int(payload[1])
    guard WebSocketMessage.maySend(code: code) else { throw .malformed("a Close frame has the code \(code)") }
    guard UTF8Scan.isValid(payload[2...]) else {
      throw WebSocketError(1007, "a reason to close is not UTF-8")
    }
    return .close(code: code, reason: Array(payload[2...]))
  }
}
