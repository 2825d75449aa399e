import TapedeckHTTP

/// The body of a request that a HAR tells by its parameters only.
enum HARParams {
  /// Nil where the file has the parts only, of which it cannot be rebuilt.
  static func body(_ data: JSONValue) -> [UInt8]? {
    let params = data["params"]?.array ?? []
    guard !params.isEmpty else { return [] }
    let type = data["mimeType"]?.text?.lowercased() ?? ""
    guard type.isEmpty || type.hasPrefix("application/x-www-form-urlencoded") else { return nil }
    let pairs = params.map {
      ($0["name"].flatMap(HARText.utf8) ?? [], $0["value"].flatMap(HARText.utf8) ?? [])
    }
    let areEncoded = pairs.allSatisfy { isEncoded($0.0) && isEncoded($0.1) }
    let pieces = pairs.map { name, value in
      areEncoded ? name + [UInt8(ascii: "=")] + value : encoded(name) + [UInt8(ascii: "=")] + encoded(value)
    }
    return Array(pieces.joined(separator: [UInt8(ascii: "&")]))
  }

  /// Whether a text may stand in a form as it is (WHATWG URL §5.2): some tools give parameters encoded, some decoded.
  private static func isEncoded(_ text: [UInt8]) -> Bool { text.allSatisfy(isEncoded) }

  static func isEncoded(_ byte: UInt8) -> Bool {
    isPlain(byte) || byte == UInt8(ascii: "%") || byte == UInt8(ascii: "+")
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    ASCII.isDigit(byte) || ASCII.lowercased(byte) &- 0x61 < 26 || "*-._".utf8.contains(byte)
  }

  static func encoded(_ text: [UInt8]) -> [UInt8] {
    text.flatMap { byte in
      isPlain(byte) ? [byte] : byte == 0x20 ? [UInt8(ascii: "+")] : PercentCoding.encoded(byte)
    }
  }
}
