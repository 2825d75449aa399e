internal import TapedeckHTTP

extension Base64 {
  /// The bytes of base64 as other tools write it: with line breaks, without padding, or of the alphabet for URLs
  /// (RFC 4648 §5).
  package static func decodeTolerant(_ text: [UInt8]) -> [UInt8]? {
    if let bytes = decode(text) { return bytes }
    var plain: [UInt8] = []
    plain.reserveCapacity(text.count + 3)
    for byte in text where byte > 0x20 {
      switch byte {
      case UInt8(ascii: "-"): plain.append(UInt8(ascii: "+"))
      case UInt8(ascii: "_"): plain.append(UInt8(ascii: "/"))
      default: plain.append(byte)
      }
    }
    while plain.last == UInt8(ascii: "=") { plain.removeLast() }
    while plain.count % 4 != 0 { plain.append(UInt8(ascii: "=")) }
    return decode(plain)
  }
}
