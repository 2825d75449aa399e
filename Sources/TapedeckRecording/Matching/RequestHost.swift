import TapedeckHTTP

/// The host a client thinks it talks to, as it is compared: in lower case and without the port, which is another in
/// every run of a proxy that picks a free one.
enum RequestHost {
  static func compared(_ authority: ArraySlice<UInt8>) -> [UInt8] {
    let end: Int
    if authority.first == UInt8(ascii: "["), let bracket = authority.firstIndex(of: UInt8(ascii: "]")) {
      end = bracket + 1
    } else {
      end = authority.lastIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
    }
    return authority[..<end].map(ASCII.lowercased)
  }
}
