/// The meaning of single bytes in HTTP. Parsers work on bytes, because `String`, `Character` and `Int(_:)`
/// accept more than the grammar: signs, the Kelvin sign as `k`, CRLF as one character.
///
/// Public because the compiler inlines `@inlinable` functions into other rooms only if they are public.
public enum ASCII {
  public static let tab: UInt8 = 0x09
  public static let lineFeed: UInt8 = 0x0A
  public static let carriageReturn: UInt8 = 0x0D
  public static let space: UInt8 = 0x20
  public static let colon: UInt8 = 0x3A
  public static let comma: UInt8 = 0x2C

  /// Bits of the token characters (RFC 9110 §5.6.2), bytes 0–63 and 64–127.
  private static let tokenLow: UInt64 = 0x03FF_6CFA_0000_0000
  private static let tokenHigh: UInt64 = 0x57FF_FFFF_C7FF_FFFE

  package static func isToken(_ byte: UInt8) -> Bool {
    if byte < 64 { return (tokenLow >> UInt64(byte)) & 1 == 1 }
    return byte < 128 && (tokenHigh >> UInt64(byte & 63)) & 1 == 1
  }

  /// How many of eight bytes, from the first on, are letters or hyphens, as nearly all of a field's name.
  static func lettersBeforeOthers(_ bytes: UInt64) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let low = (bytes | ones &* 0x20) & (ones &* 0x7F)
    let letters = (low &+ ones &* 0x1F) & ~(low &+ ones &* 0x05)
    let hyphen = bytes ^ (ones &* 0x2D)
    let others = (hyphen & (ones &* 0x7F)) &+ ones &* 0x7F | hyphen
    return (((~letters & others) | bytes) & (ones &* 0x80)).trailingZeroBitCount / 8
  }

  /// HTAB, SP, visible characters and opaque 0x80–0xFF (RFC 9110 §5.5).
  package static func isFieldValue(_ byte: UInt8) -> Bool { byte >= 0x20 ? byte != 0x7F : byte == tab }

  @inlinable @inline(__always) public static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  @inlinable public static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }

  @inlinable public static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

  @inlinable public static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte &- 0x30
    case 0x41...0x46: byte &- 0x37
    case 0x61...0x66: byte &- 0x57
    default: nil
    }
  }

  /// Equality that ignores ASCII case only.
  @inlinable public static func equal(_ left: some Sequence<UInt8>, lowercase right: StaticString) -> Bool {
    var index = 0
    for byte in left {
      guard index < right.utf8CodeUnitCount, lowercased(byte) == right.utf8Start[index] else { return false }
      index += 1
    }
    return index == right.utf8CodeUnitCount
  }

  @inlinable @inline(__always) public static func isLetter(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- 0x61 < 26
  }

  @inlinable @inline(__always) public static func isAlphanumeric(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte)
  }

  /// A letter, a digit, `_` or `-`.
  @inlinable @inline(__always) public static func isWord(_ byte: UInt8) -> Bool {
    isAlphanumeric(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
  }

  /// SP, HTAB, CR or LF.
  @inlinable public static func isSpace(_ byte: UInt8) -> Bool {
    byte == space || byte == tab || byte == lineFeed || byte == carriageReturn
  }

  /// Any byte but control characters other than tab and line ends.
  @inlinable public static func isText(_ byte: UInt8) -> Bool {
    byte >= 0x20 ? byte != 0x7F : byte == tab || byte == lineFeed || byte == carriageReturn
  }

  @inlinable @inline(__always)
  public static func equal(_ bytes: UnsafeBufferPointer<UInt8>, lowercase text: StaticString) -> Bool {
    bytes.count == text.utf8CodeUnitCount
      && equal(
        UnsafeRawBufferPointer(bytes),
        lowercase: UnsafeRawBufferPointer(start: text.utf8Start, count: bytes.count))
  }

  /// The same of texts of one length, eight bytes at a time. The last eight are compared together, some of them perhaps
  /// a second time.
  @usableFromInline static func equal(
    _ left: UnsafeRawBufferPointer, lowercase right: UnsafeRawBufferPointer
  ) -> Bool {
    let count = left.count
    guard count >= 8 else {
      guard count >= 4 else { return left.indices.allSatisfy { lowercased(left[$0]) == right[$0] } }
      return isEqual(ends(left), lowercase: ends(right))
    }
    var index = 0
    while index + 8 < count {
      guard isEqual(word(left, at: index), lowercase: word(right, at: index)) else { return false }
      index += 8
    }
    return isEqual(word(left, at: count - 8), lowercase: word(right, at: count - 8))
  }

  @inlinable @inline(__always) static func word(_ bytes: UnsafeRawBufferPointer, at index: Int) -> UInt64 {
    bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
  }

  /// The first four bytes and the last four of four to eight.
  @inlinable @inline(__always) static func ends(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    let first = bytes.loadUnaligned(as: UInt32.self)
    let last = bytes.loadUnaligned(fromByteOffset: bytes.count - 4, as: UInt32.self)
    return UInt64(first) << 32 | UInt64(last)
  }

  /// Whether eight bytes are those of a text, or differ in the bit of case where that has a letter.
  @inlinable @inline(__always) static func isEqual(_ bytes: UInt64, lowercase text: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let low = text & (ones &* 0x7F)
    // The high bit of a lane says that it is at least `a`, and not that it is more than `z`.
    let letters = (low &+ ones &* 0x1F) & ~(low &+ ones &* 0x05) & ~text & (ones &* 0x80)
    return (bytes ^ text) & ~(letters &>> 2) == 0
  }

  @inlinable public static func equal(_ bytes: ArraySlice<UInt8>, lowercase text: StaticString) -> Bool {
    bytes.withUnsafeBufferPointer { equal($0, lowercase: text) }
  }

  package static func append(_ number: Int, to out: inout [UInt8]) {
    guard number >= 10 else { return out.append(0x30 + UInt8(truncatingIfNeeded: number)) }
    append(number / 10, to: &out)
    out.append(0x30 + UInt8(truncatingIfNeeded: number % 10))
  }

  package static func append(hexadecimal number: Int, to out: inout [UInt8]) {
    if number >= 16 { append(hexadecimal: number >> 4, to: &out) }
    out.append(hexDigit(UInt8(truncatingIfNeeded: number & 0xF)))
  }

  static func firstLineFeed(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    bytes.index(of: lineFeed, from: start)
  }

  /// The first byte of `bytes[start..<end]` that is not allowed in a field value, or `end`.
  static func endOfFieldValue(_ bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Int {
    var index = start
    while index + 8 <= end, isPlain(word(bytes, at: index)) { index += 8 }
    // The last eight bytes are looked at together, some of them a second time.
    if end - index < 8, end - start >= 8, isPlain(word(bytes, at: end - 8)) { return end }
    while index < end, isFieldValue(bytes[index]) { index += 1 }
    return index
  }

  /// Whether all eight bytes are at least 0x20 and not 0x7F. May be false wrongly, but never true wrongly.
  private static func isPlain(_ block: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let delete = block ^ (ones &* 0x7F)
    let isControl = (block &- ones &* 0x20) & ~block
    let isDelete = (delete &- ones) & ~delete
    return (isControl | isDelete) & (ones &* 0x80) == 0
  }
}

extension Collection<UInt8> where SubSequence: Collection<UInt8> {
  /// Removes leading and trailing SP and HTAB (RFC 9110 §5.6.3).
  package func trimmingBlanks() -> SubSequence {
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
  /// Like `withUnsafeBytes`, with typed throws.
  package func withRawBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeBufferPointer { buffer throws(Failure) in try body(UnsafeRawBufferPointer(buffer)) }
  }
}

extension ASCII {
  package static func hexDigits(_ bytes: [UInt8], uppercase: Bool = false) -> [UInt8] {
    bytes.flatMap { [hexDigit($0 >> 4, uppercase: uppercase), hexDigit($0 & 0x0F, uppercase: uppercase)] }
  }

  /// - Parameter value: less than 16.
  package static func hexDigit(_ value: UInt8, uppercase: Bool = false) -> UInt8 {
    value < 10 ? 0x30 + value : (uppercase ? 0x37 : 0x57) + value
  }
}
