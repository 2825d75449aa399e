/// A string as it is written: the bytes between the quotes, escapes and all.
public struct JSONString: Sendable, Equatable {
  let slice: JSONSlice

  init(slice: JSONSlice) { self.slice = slice }

  /// A string with this text, escaped no more than JSON demands.
  public init(_ text: String) { slice = JSONSlice(Self.escaped(Array(text.utf8)[...])) }

  /// A string whose decoded content is these bytes; nil when they are not UTF-8.
  public init?(utf8 bytes: ArraySlice<UInt8>) {
    guard UTF8Scan.isValid(bytes) else { return nil }
    slice = JSONSlice(Self.escaped(bytes))
  }

  /// The bytes as they stand in the document, without the quotes.
  public var raw: ArraySlice<UInt8> { slice.bytes }

  /// Whether the content, decoded, is these bytes.
  public func isEqual(to bytes: some Collection<UInt8>) -> Bool {
    if raw.elementsEqual(bytes) { return !bytes.contains(UInt8(ascii: "\\")) }
    return raw.contains(UInt8(ascii: "\\")) && decodedBytes.elementsEqual(bytes)
  }

  /// The content as text; lone surrogates, which no text can hold, become U+FFFD.
  public var text: String { String(decoding: decodedBytes, as: UTF8.self) }

  /// The content as UTF-8; nil when it holds a lone surrogate.
  public var utf8: [UInt8]? {
    let bytes = decodedBytes
    return hasEscapes && !UTF8Scan.isValid(bytes[...]) ? nil : bytes
  }

  /// The content as UTF-8, shared with the document where nothing is escaped; nil when it holds a lone surrogate.
  package var utf8Slice: ArraySlice<UInt8>? { hasEscapes ? utf8.map { $0[...] } : raw }

  private var hasEscapes: Bool { raw.withUnsafeBytes { $0.contains(UInt8(ascii: "\\")) } }

  /// The content with escapes decoded. A lone surrogate becomes the three bytes UTF-8 would give it (WTF-8), so
  /// different strings stay different.
  public var decodedBytes: [UInt8] {
    let raw = raw
    guard var escape = raw.firstIndex(of: UInt8(ascii: "\\")) else { return Array(raw) }
    var out: [UInt8] = []
    out.reserveCapacity(raw.count)
    var index = raw.startIndex
    while true {
      out += raw[index..<escape]
      index = Self.decodeEscape(raw, at: escape, into: &out)
      guard let next = raw[index...].firstIndex(of: UInt8(ascii: "\\")) else { break }
      escape = next
    }
    return out + raw[index...]
  }

  /// Decodes the escape at `index`, which the reader has found well formed; the index behind it.
  private static func decodeEscape(_ raw: ArraySlice<UInt8>, at index: Int, into out: inout [UInt8]) -> Int {
    switch raw[index + 1] {
    case UInt8(ascii: "b"): out.append(0x08)
    case UInt8(ascii: "t"): out.append(0x09)
    case UInt8(ascii: "n"): out.append(0x0A)
    case UInt8(ascii: "f"): out.append(0x0C)
    case UInt8(ascii: "r"): out.append(0x0D)
    case UInt8(ascii: "u"): return decodeUnit(raw, at: index, into: &out)
    case let byte: out.append(byte)
    }
    return index + 2
  }

  private static func decodeUnit(_ raw: ArraySlice<UInt8>, at index: Int, into out: inout [UInt8]) -> Int {
    let unit = codeUnit(raw, at: index)
    if (0xD800...0xDBFF).contains(unit), index + 12 <= raw.endIndex, raw[index + 6] == UInt8(ascii: "\\"),
      raw[index + 7] == UInt8(ascii: "u")
    {
      let low = codeUnit(raw, at: index + 6)
      if (0xDC00...0xDFFF).contains(low) {
        append(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00), to: &out)
        return index + 12
      }
    }
    append(unit, to: &out)
    return index + 6
  }

  private static func codeUnit(_ raw: ArraySlice<UInt8>, at index: Int) -> UInt32 {
    raw[(index + 2)..<(index + 6)].reduce(0) { $0 << 4 | UInt32(ASCII.hexValue($1) ?? 0) }
  }

  private static func append(_ scalar: UInt32, to out: inout [UInt8]) {
    func tail(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: 0x80 | (scalar >> shift & 0x3F)) }
    switch scalar {
    case ..<0x80: out.append(UInt8(truncatingIfNeeded: scalar))
    case ..<0x800: out += [UInt8(truncatingIfNeeded: 0xC0 | scalar >> 6), tail(0)]
    case ..<0x10000: out += [UInt8(truncatingIfNeeded: 0xE0 | scalar >> 12), tail(6), tail(0)]
    default: out += [UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18), tail(12), tail(6), tail(0)]
    }
  }

  /// `bytes` with quote, backslash and control characters escaped (RFC 8259 §7).
  static func escaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    guard bytes.contains(where: needsEscape) else { return Array(bytes) }
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count + 16)
    for byte in bytes {
      if needsEscape(byte) { appendEscape(byte, to: &out) } else { out.append(byte) }
    }
    return out
  }

  /// Appends text, escaped no more than JSON demands.
  package static func appendEscaped(_ bytes: UnsafeBufferPointer<UInt8>, to out: inout [UInt8]) {
    guard bytes.contains(where: needsEscape) else { return out.append(contentsOf: bytes) }
    for byte in bytes {
      if needsEscape(byte) { appendEscape(byte, to: &out) } else { out.append(byte) }
    }
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
      let low = byte & 0x0F
      out += [0x75, 0x30, 0x30, 0x30 + byte >> 4, low < 10 ? 0x30 + low : 0x57 + low]
    default: out.append(byte)
    }
  }
}

extension JSONString: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self.init(text) }
}

extension JSONString {
  /// Whether the content, decoded, is `name`, which holds no backslash.
  package func isEqual(to name: StaticString) -> Bool {
    raw.withUnsafeBytes { bytes in
      let expected = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
      if bytes.count == expected.count, bytes.elementsEqual(expected) { return true }
      return bytes.contains(UInt8(ascii: "\\")) && decodedBytes.elementsEqual(expected)
    }
  }
}

/// Bytes of a document, shared with it. Offsets have 32 bits, so that a value stays small; the reader refuses
/// documents that are longer than that.
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
