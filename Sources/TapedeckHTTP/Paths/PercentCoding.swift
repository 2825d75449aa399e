/// Percent-encoding of URLs (RFC 3986 §2.1), on bytes.
public enum PercentCoding {
  /// Decodes `%XX`; a `%` without two hex digits stays as it is.
  /// - Parameter plusIsSpace: as in forms (application/x-www-form-urlencoded of the URL standard).
  public static func decode(_ bytes: ArraySlice<UInt8>, plusIsSpace: Bool = false) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count)
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let byte = bytes[index]
      if byte == UInt8(ascii: "%"), index + 2 < bytes.endIndex,
        let high = ASCII.hexValue(bytes[index + 1]), let low = ASCII.hexValue(bytes[index + 2])
      {
        out.append(high << 4 | low)
        index += 3
      } else {
        out.append(plusIsSpace && byte == UInt8(ascii: "+") ? ASCII.space : byte)
        index += 1
      }
    }
    return out
  }

  package static func encoded(_ byte: UInt8) -> [UInt8] {
    [UInt8(ascii: "%")] + ASCII.hexDigits([byte], uppercase: true)
  }
}
