internal import Glibc

/// Where to listen: a host, numeric or to be looked up, and a port.
public struct SocketAddress: Sendable, Equatable, CustomStringConvertible {
  public var host: String
  public var port: UInt16

  public init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Reads `HOST:PORT` or `[IPv6]:PORT`; nil when it is neither.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    if bytes.first == UInt8(ascii: "[") {
      guard let close = bytes.firstIndex(of: UInt8(ascii: "]")), close > 1 else { return nil }
      let rest = bytes[(close + 1)...]
      guard let port = Self.port(after: rest) else { return nil }
      self.init(host: String(decoding: bytes[1..<close], as: UTF8.self), port: port)
    } else {
      let colon = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
      guard colon > 0, let port = Self.port(after: bytes[colon...]) else { return nil }
      self.init(host: String(decoding: bytes[..<colon], as: UTF8.self), port: port)
    }
  }

  private static func port(after text: ArraySlice<UInt8>) -> UInt16? {
    let digits = text.dropFirst()
    guard text.first == UInt8(ascii: ":"), (1...5).contains(digits.count),
      digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 })
    else { return nil }
    return UInt16(exactly: digits.reduce(0) { $0 * 10 + Int($1 & 0x0F) })
  }

  /// As in a URL: IPv6 addresses stand in brackets.
  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// Whether only this machine can reach it.
  public var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }
}
