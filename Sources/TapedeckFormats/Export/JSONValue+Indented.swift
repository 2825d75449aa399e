import TapedeckHTTP

extension JSONValue {
  /// As it stands in a file, at a level of indentation.
  func indented(_ level: Int) -> [UInt8] {
    var out = Array(repeating: UInt8(ascii: " "), count: 2 * level + 2)
    write(.indented(2), level: level + 1, to: &out)
    return out
  }
}
