import TapedeckHTTP

/// Paths as they are compared: with what RFC 3986 §6.2.2.1 and §6.2.2.2 call the same made the same. Dot segments stay,
/// and so does every encoded byte that means something, such as `%2F`.
enum ComparedPath {
  /// The path with capital hexadecimal digits, and without the encoding of letters, digits, `-`, `.`, `_` and `~`.
  static func normalized(_ path: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard path.contains(UInt8(ascii: "%")) else { return path }
    var out: [UInt8] = []
    out.reserveCapacity(path.count)
    var index = path.startIndex
    while index < path.endIndex {
      guard path[index] == UInt8(ascii: "%"), index + 2 < path.endIndex,
        let high = ASCII.hexValue(path[index + 1]), let low = ASCII.hexValue(path[index + 2])
      else {
        out.append(path[index])
        index += 1
        continue
      }
      let byte = high << 4 | low
      if isUnreserved(byte) { out.append(byte) } else { out += PercentCoding.encoded(byte) }
      index += 3
    }
    return out[...]
  }

  /// RFC 3986 §2.3.
  private static func isUnreserved(_ byte: UInt8) -> Bool {
    ASCII.isAlphanumeric(byte) || "-._~".utf8.contains(byte)
  }
}
