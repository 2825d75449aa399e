extension JSONString {
  /// Where the first byte stands that is a quote, a backslash, a control character or beyond ASCII: all before it is in
  /// a string what it is outside.
  static func endOfPlain(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var index = endOfPlainWords(bytes, from: start)
    while index < bytes.count, bytes[index] < 0x80, !needsEscape(bytes[index]) { index += 1 }
    return index
  }

  /// The same, eight bytes at a time, or where fewer than eight bytes are left. In each lane of `marks` the high bit
  /// says "one of those"; carries make only lanes above the first one unreliable, and the first is all that is asked
  /// for.
  package static func endOfPlainWords(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    var index = start
    while index + 8 <= bytes.count {
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      let quotes = word ^ (ones &* 0x22)
      let slashes = word ^ (ones &* 0x5C)
      let controls = (word &- ones &* 0x20) & ~word
      let marks =
        ((quotes &- ones) & ~quotes | (slashes &- ones) & ~slashes | controls | word) & (ones &* 0x80)
      guard marks == 0 else { return index + marks.trailingZeroBitCount / 8 }
      index += 8
    }
    return index
  }
}
