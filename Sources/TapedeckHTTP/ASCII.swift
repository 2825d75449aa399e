/// What single bytes mean in HTTP. All parsing works on bytes: `String`, `Character` and `Int(_:)` are more
/// generous than the grammar (they take signs, fold the Kelvin sign into `k`, and see CRLF as one character).
@usableFromInline
enum ASCII {
  @usableFromInline static let tab: UInt8 = 0x09
  @usableFromInline static let lineFeed: UInt8 = 0x0A
  @usableFromInline static let carriageReturn: UInt8 = 0x0D
  @usableFromInline static let space: UInt8 = 0x20
  @usableFromInline static let colon: UInt8 = 0x3A
  @usableFromInline static let comma: UInt8 = 0x2C

  /// Bits of the token characters (RFC 9110 §5.6.2), bytes 0–63 and 64–127.
  private static let tokenLow: UInt64 = 0x03FF_6CFA_0000_0000
  private static let tokenHigh: UInt64 = 0x57FF_FFFF_C7FF_FFFE

  static func isToken(_ byte: UInt8) -> Bool {
    if byte < 64 { return (tokenLow >> UInt64(byte)) & 1 == 1 }
    return byte < 128 && (tokenHigh >> UInt64(byte & 63)) & 1 == 1
  }

  /// A byte that may stand in a field value: HTAB, visible characters, SP, and opaque 0x80–0xFF (RFC 9110 §5.5).
  static func isFieldValue(_ byte: UInt8) -> Bool { byte >= 0x20 ? byte != 0x7F : byte == tab }

  static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }

  static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

  static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte &- 0x30
    case 0x41...0x46: byte &- 0x37
    case 0x61...0x66: byte &- 0x57
    default: nil
    }
  }

  /// Equality without regard to ASCII case, and to nothing but ASCII case.
  static func equal(_ left: some Sequence<UInt8>, lowercase right: StaticString) -> Bool {
    var index = 0
    for byte in left {
      guard index < right.utf8CodeUnitCount, lowercased(byte) == right.utf8Start[index] else { return false }
      index += 1
    }
    return index == right.utf8CodeUnitCount
  }
}

extension Collection<UInt8> where SubSequence: Collection<UInt8> {
  /// Without leading and trailing optional white space (RFC 9110 §5.6.3): SP and HTAB, nothing else.
  func trimmingBlanks() -> SubSequence {
    var start = startIndex
    while start != endIndex, ASCII.isBlank(self[start]) { start = index(after: start) }
    var end = endIndex
    while end != start {
      let before = index(end, offsetBy: -1)
      guard ASCII.isBlank(self[before]) else { break }
      end = before
    }
    return self[start..<end]
  }
}

extension Array<UInt8> {
  /// `withUnsafeBytes` that keeps the type of what `body` throws.
  package func withRawBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeBufferPointer { buffer throws(Failure) in try body(UnsafeRawBufferPointer(buffer)) }
  }
}
