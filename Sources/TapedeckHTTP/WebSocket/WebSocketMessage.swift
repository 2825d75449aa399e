/// What one side of a WebSocket says: a message, or one of the controls between messages (RFC 6455 §5).
package enum WebSocketMessage: Equatable, Sendable {
  /// UTF-8.
  case text([UInt8])
  case binary([UInt8])
  case ping([UInt8])
  case pong([UInt8])
  /// - Parameters:
  ///   - code: `nil` if the frame is empty, which means 1005 (RFC 6455 §7.4.1).
  ///   - reason: UTF-8.
  case close(code: Int?, reason: [UInt8])
}

/// Why a WebSocket fails (RFC 6455 §7.1.7).
package struct WebSocketError: Error, Equatable, CustomStringConvertible {
  /// The code of the Close frame that says so.
  package let code: Int
  package let description: String

  init(_ code: Int, _ description: String) {
    self.code = code
    self.description = description
  }

  static func malformed(_ description: String) -> WebSocketError { WebSocketError(1002, description) }
}

extension WebSocketMessage {
  /// The payload of a control frame, at most (RFC 6455 §5.5).
  static let maximumControlBytes = 125

  enum Opcode: UInt8 {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    var isControl: Bool { rawValue & 0x8 != 0 }
  }

  /// Its only frame (RFC 6455 §5.2). A control is cut to what fits into a frame.
  /// - Parameter mask: of a client, four bytes; a server masks nothing.
  package func frame(mask: [UInt8]? = nil) -> [UInt8] {
    let (opcode, payload) = content
    let isMasked: UInt8 = mask == nil ? 0 : 0x80
    var out = [0x80 | opcode.rawValue]
    switch payload.count {
    case ...125: out.append(isMasked | UInt8(payload.count))
    case ...0xFFFF: out += [isMasked | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
    default:
      out.append(isMasked | 127)
      for shift in stride(from: 56, through: 0, by: -8) { out.append(UInt8(payload.count >> shift & 0xFF)) }
    }
    guard let mask else { return out + payload }
    out += mask
    for (index, byte) in payload.enumerated() { out.append(byte ^ mask[index % 4]) }
    return out
  }

  private var content: (Opcode, [UInt8]) {
    switch self {
    case .text(let bytes): (.text, bytes)
    case .binary(let bytes): (.binary, bytes)
    case .ping(let bytes): (.ping, Array(bytes.prefix(Self.maximumControlBytes)))
    case .pong(let bytes): (.pong, Array(bytes.prefix(Self.maximumControlBytes)))
    case .close(nil, _): (.close, [])
    case .close(let code?, let reason):
      (.close, [UInt8(code >> 8 & 0xFF), UInt8(code & 0xFF)] + Self.cut(reason))
    }
  }

  /// A reason as far as it fits into a Close frame, cut between characters.
  private static func cut(_ reason: [UInt8]) -> [UInt8] {
    guard reason.count > maximumControlBytes - 2 else { return reason }
    var end = maximumControlBytes - 2
    while end > 0, reason[end] & 0xC0 == 0x80 { end -= 1 }
    return Array(reason[..<end])
  }

  /// Whether an endpoint may send a Close frame with this code (RFC 6455 §7.4, and the registry it begins).
  package static func maySend(code: Int) -> Bool {
    switch code {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }
}
