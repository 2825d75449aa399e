/// A string as written: the bytes between the quotes, with escapes.
public struct JSONString: Sendable, Equatable {
  let slice: JSONSlice

  init(slice: JSONSlice) { self.slice = slice }

  /// Creates a string with this text, with only the escapes that JSON requires.
  public init(_ text: String) { slice = JSONSlice(Self.escaped(Array(text.utf8)[...])) }

  /// Creates a string with this decoded content; `nil` when it is not UTF-8.
  public init?(utf8 bytes: ArraySlice<UInt8>) {
    guard UTF8Scan.isValid(bytes) else { return nil }
    slice = JSONSlice(Self.escaped(bytes))
  }

  /// The bytes as written in the document, without the quotes.
  public var raw: ArraySlice<UInt8> { slice.bytes }

  /// Whether the decoded content equals these bytes.
  public func isEqual(to bytes: some Collection<UInt8>) -> Bool {
    bytes.withContiguousStorageIfAvailable { isEqual(to: UnsafeRawBufferPointer($0)) }
      ?? Array(bytes).withUnsafeBytes { isEqual(to: $0) }
  }

  private func isEqual(to expected: UnsafeRawBufferPointer) -> Bool {
    raw.withUnsafeBytes { bytes in
      let hasEscapes = bytes.index(of: UInt8(ascii: "\\"), from: 0) != nil
      // An escape is longer than what it stands for.
      if hasEscapes { return bytes.count > expected.count && decodedBytes.elementsEqual(expected) }
      return bytes.count == expected.count && bytes.holds(expected)
    }
  }

  /// The content as text; lone surrogates become U+FFFD.
  public var text: String { String(decoding: decodedBytes, as: UTF8.self) }

  /// The content as UTF-8; `nil` when it has a lone surrogate.
  public var utf8: [UInt8]? {
    let bytes = decodedBytes
    return hasEscapes && !UTF8Scan.isValid(bytes[...]) ? nil : bytes
  }

  /// Like `utf8`, but shares the document's bytes if nothing is escaped.
  package var utf8Slice: ArraySlice<UInt8>? { hasEscapes ? utf8.map { $0[...] } : raw }

  private var hasEscapes: Bool { raw.withUnsafeBytes { $0.index(of: UInt8(ascii: "\\"), from: 0) != nil } }

  /// The decoded content. A lone surrogate becomes three bytes (WTF-8), so that different strings differ.
  public var decodedBytes: [UInt8] {
    let raw = raw
    guard var index = raw.firstIndex(of: UInt8(ascii: "\\")) else { return Array(raw) }
    var out: [UInt8] = []
    out.reserveCapacity(raw.count)
    out += raw[..<index]
    while true {
      let (character, length) = Self.escape(in: raw, at: index)
      Self.append(character ?? UInt32(raw[index]), to: &out)
      index += length
      guard let next = raw[index...].firstIndex(of: UInt8(ascii: "\\")) else { return out + raw[index...] }
      out += raw[index..<next]
      index = next
    }
  }

  /// The character of the escape at `index`, or half a surrogate pair, and the escape's length; or none and
  /// 1.
  package static func escape(
    in text: ArraySlice<UInt8>, at index: Int
  ) -> (character: UInt32?, length: Int) {
    guard text[index] == UInt8(ascii: "\\"), index + 1 < text.endIndex else { return (nil, 1) }
    switch text[index + 1] {
    case UInt8(ascii: "b"): return (0x08, 2)
    case UInt8(ascii: "t"): return (0x09, 2)
    case UInt8(ascii: "n"): return (0x0A, 2)
    case UInt8(ascii: "f"): return (0x0C, 2)
    case UInt8(ascii: "r"): return (0x0D, 2)
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return (UInt32(text[index + 1]), 2)
    case UInt8(ascii: "u"):
      guard let unit = codeUnit(text, at: index) else { return (nil, 1) }
      guard (0xD800...0xDBFF).contains(unit), let low = codeUnit(text, at: index + 6),
        (0xDC00...0xDFFF).contains(low)
      else { return (unit, 6) }
      return (0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00), 12)
    default: return (nil, 1)
    }
  }

  private static func codeUnit(_ text: ArraySlice<UInt8>, at index: Int) -> UInt32? {
    guard index + 6 <= text.endIndex, text[index...].starts(with: "\\u".utf8) else { return nil }
    return text[(index + 2)..<(index + 6)].reduce(0) { value, byte in
      value.flatMap { value in ASCII.hexValue(byte).map { value << 4 | UInt32($0) } }
    }
  }

  /// Appends a character in UTF-8; half a surrogate pair as in WTF-8.
  package static func append(_ character: UInt32, to out: inout [UInt8]) {
    func tail(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: 0x80 | (character >> shift & 0x3F)) }
    switch character {
    case ..<0x80: out.append(UInt8(truncatingIfNeeded: character))
    case ..<0x800: out += [UInt8(truncatingIfNeeded: 0xC0 | character >> 6), tail(0)]
    case ..<0x10000: out += [UInt8(truncatingIfNeeded: 0xE0 | character >> 12), tail(6), tail(0)]
    default: out += [UInt8(truncatingIfNeeded: 0xF0 | character >> 18), tail(12), tail(6), tail(0)]
    }
  }

  /// Escapes quote, backslash and control characters (RFC 8259 §7).
  package static func escaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var out: [UInt8] = []
    bytes.withUnsafeBufferPointer { appendEscaped($0, to: &out) }
    return out
  }

  package static func appendEscaped(_ bytes: UnsafeBufferPointer<UInt8>, to out: inout [UInt8]) {
    var start = 0
    while let place = bytes[start...].firstIndex(where: needsEscape) {
      out.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<place]))
      appendEscape(bytes[place], to: &out)
      start = place + 1
    }
    out.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start...]))
  }

  static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private static func appendEscape(_ byte: UInt8, to out: inout [UInt8]) {
    out.append(UInt8(ascii: "\\"))
    switch byte {
    case 0x08: out.append(UInt8(ascii: "b"))
    case 0x09: out.append(UInt8(ascii: "t"))
    case 0x0A: out.append(UInt8(ascii: "n"))
    case 0x0C: out.append(UInt8(ascii: "f"))
    case 0x0D: out.append(UInt8(ascii: "r"))
    case ..<0x20:
      out += [UInt8(ascii: "u"), 0x30, 0x30, 0x30 + byte >> 4, ASCII.hexDigit(byte & 0x0F)]
    default: out.append(byte)
    }
  }
}

extension JSONString: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self.init(text) }
}

extension JSONString {
  /// Whether the decoded content equals `name`.
  package func isEqual(to name: StaticString) -> Bool {
    isEqual(to: UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
  }
}

/// Bytes of a document, shared with it. Offsets have 32 bits to stay small; longer documents are refused.
struct JSONSlice: Sendable, Equatable {
  let source: [UInt8]
  let start: UInt32
  let count: UInt32

  init(source: [UInt8], start: Int, end: Int) {
    self.source = source
    self.start = UInt32(start)
    self.count = UInt32(end - start)
  }

  init(_ bytes: [UInt8]) { self.init(source: bytes, start: 0, end: bytes.count) }

  var bytes: ArraySlice<UInt8> { source[Int(start)..<Int(start) + Int(count)] }

  static func == (left: JSONSlice, right: JSONSlice) -> Bool { left.bytes == right.bytes }
}

extension JSONString {
  /// The offset of the first quote, backslash, control character or byte beyond ASCII.
  static func endOfPlain(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var index = endOfPlainWords(bytes, from: start)
    while index < bytes.count, bytes[index] < 0x80, !needsEscape(bytes[index]) { index += 1 }
    return index
  }

  /// Whether there is none of those. The last eight bytes are looked at together, some of them perhaps a second time.
  @inline(__always) static func isPlain(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let count = bytes.count
    guard count >= 8 else {
      return count >= 4 ? marks(ASCII.ends(bytes)) == 0 : bytes.allSatisfy { $0 < 0x80 && !needsEscape($0) }
    }
    var index = 0
    while index + 8 < count {
      guard marks(word(bytes, at: index)) == 0 else { return false }
      index += 8
    }
    return marks(word(bytes, at: count - 8)) == 0
  }

  /// The same offset, or one of the last seven bytes. Sixteen bytes are looked at together: as signed numbers, control
  /// characters and bytes beyond ASCII are below a blank.
  @inlinable @inline(__always)
  package static func endOfPlainWords(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var index = start
    let (quote, slash) = (SIMD16<UInt8>(repeating: 0x22), SIMD16<UInt8>(repeating: 0x5C))
    let blank = SIMD16<Int8>(repeating: 0x20)
    while index + 16 <= bytes.count {
      let block = bytes.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
      let isMark =
        (block .== quote) .| (block .== slash) .| (unsafeBitCast(block, to: SIMD16<Int8>.self) .< blank)
      let marks = unsafeBitCast(isMark, to: SIMD2<UInt64>.self)
      if marks[0] != 0 { return index + UInt64(littleEndian: marks[0]).trailingZeroBitCount / 8 }
      if marks[1] != 0 { return index + 8 + UInt64(littleEndian: marks[1]).trailingZeroBitCount / 8 }
      index += 16
    }
    while index + 8 <= bytes.count {
      let marks = marks(word(bytes, at: index))
      guard marks == 0 else { return index + marks.trailingZeroBitCount / 8 }
      index += 8
    }
    return index
  }

  @inlinable @inline(__always)
  static func word(_ bytes: UnsafeRawBufferPointer, at index: Int) -> UInt64 {
    UInt64(littleEndian: ASCII.word(bytes, at: index))
  }

  /// The high bit of each lane says "one of those". Carries spoil only lanes above the first one, and only the first
  /// counts. A byte beyond ASCII counts by its own high bit, whatever the differences say of it.
  @inlinable @inline(__always) static func marks(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = (word ^ (ones &* 0x22)) &- ones
    let slashes = (word ^ (ones &* 0x5C)) &- ones
    let controls = word &- ones &* 0x20
    return (quotes | slashes | controls | word) & (ones &* 0x80)
  }
}
