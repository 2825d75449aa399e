/// Reads the text of a path, strictly, byte by byte.
struct JSONPathReader {
  private let text: String
  private let bytes: [UInt8]
  private var index = 0

  init(_ text: String) {
    self.text = text
    bytes = Array(text.utf8)
  }

  private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  mutating func path() throws(JSONPathError) -> [JSONPath.Step] {
    guard next == UInt8(ascii: "$") else { throw failure(.noRoot) }
    index += 1
    var steps: [JSONPath.Step] = []
    while next != nil {
      guard steps.count < JSONPath.maximumSteps else {
        throw failure(.tooLong(limit: JSONPath.maximumSteps))
      }
      steps.append(try step())
    }
    return steps
  }

  private mutating func step() throws(JSONPathError) -> JSONPath.Step {
    if next == UInt8(ascii: "[") { return JSONPath.Step(selector: try bracket(), descends: false) }
    guard next == UInt8(ascii: ".") else { throw unexpected("a dot or an opening bracket") }
    index += 1
    let descends = next == UInt8(ascii: ".")
    if descends { index += 1 }
    if descends, next == UInt8(ascii: "[") {
      return JSONPath.Step(selector: try bracket(), descends: true)
    }
    return JSONPath.Step(selector: try shorthand(), descends: descends)
  }

  private mutating func shorthand() throws(JSONPathError) -> JSONPath.Step.Selector {
    if next == UInt8(ascii: "*") {
      index += 1
      return .wildcard
    }
    guard let first = next, JSONPath.isNameByte(first), !ASCII.isDigit(first) else {
      throw unexpected("a name or *")
    }
    let start = index
    while let byte = next, JSONPath.isNameByte(byte) { index += 1 }
    if let byte = next, byte != UInt8(ascii: "."), byte != UInt8(ascii: "[") {
      let whole = bytes[start...].prefix { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "[") }
      throw unexpected("a dot, a bracket or the end; names like this are written ['\(Self.text(whole))']")
    }
    return .name(Array(bytes[start..<index]))
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

  /// `[…]`, of which the opening bracket is next.
  private mutating func bracket() throws(JSONPathError) -> JSONPath.Step.Selector {
    index += 1
    skipBlanks()
    let selector = try bracketed()
    skipBlanks()
    switch next {
    case UInt8(ascii: "]"): index += 1
    case UInt8(ascii: ","): throw failure(.unsupported("lists in brackets"))
    case UInt8(ascii: ":"): throw failure(.unsupported("ranges"))
    default: throw unexpected("a closing bracket")
    }
    return selector
  }

  private mutating func bracketed() throws(JSONPathError) -> JSONPath.Step.Selector {
    switch next {
    case UInt8(ascii: "*"):
      index += 1
      return .wildcard
    case UInt8(ascii: "'"), UInt8(ascii: "\""): return .name(try quoted())
    case UInt8(ascii: "?"): throw failure(.unsupported("filters"))
    case UInt8(ascii: ":"): throw failure(.unsupported("ranges"))
    case let byte? where byte == UInt8(ascii: "-") || ASCII.isDigit(byte): return .index(try number())
    default: throw unexpected("a name in quotes, a number or *")
    }
  }

  private mutating func skipBlanks() {
    while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { index += 1 }
  }

  /// RFC 9535 §2.3.3.1: no leading zeros, no `-0`, within the whole numbers of a double.
  private mutating func number() throws(JSONPathError) -> Int {
    let start = index
    if next == UInt8(ascii: "-") { index += 1 }
    let digits = index
    while let byte = next, ASCII.isDigit(byte) { index += 1 }
    let isZero = bytes[start..<index].elementsEqual("0".utf8)
    guard index > digits, isZero || bytes[digits] != UInt8(ascii: "0"), index - digits <= 15,
      let number = Int(Self.text(bytes[start..<index]))
    else {
      index = start
      throw failure(.invalidIndex)
    }
    return number
  }
}

// MARK: - Names in quotes

extension JSONPathReader {
  /// RFC 9535 §2.3.1.1: JSON's escapes, and the quote that surrounds it.
  private mutating func quoted() throws(JSONPathError) -> [UInt8] {
    let quote = bytes[index]
    index += 1
    var name: [UInt8] = []
    while let byte = next, byte != quote {
      index += 1
      guard byte >= 0x20 else {
        index -= 1
        throw unexpected("a name without control characters")
      }
      if byte == UInt8(ascii: "\\") { try escape(quote, into: &name) } else { name.append(byte) }
    }
    guard next == quote else { throw unexpected("a closing quote") }
    index += 1
    return name
  }

  /// What stands behind a backslash.
  private mutating func escape(_ quote: UInt8, into name: inout [UInt8]) throws(JSONPathError) {
    guard let byte = next else { throw unexpected("the rest of an escape") }
    index += 1
    switch byte {
    case quote, UInt8(ascii: "\\"), UInt8(ascii: "/"): name.append(byte)
    case UInt8(ascii: "b"): name.append(0x08)
    case UInt8(ascii: "t"): name.append(0x09)
    case UInt8(ascii: "n"): name.append(0x0A)
    case UInt8(ascii: "f"): name.append(0x0C)
    case UInt8(ascii: "r"): name.append(0x0D)
    case UInt8(ascii: "u"): try unicode(into: &name)
    default:
      index -= 1
      throw failure(.invalidEscape)
    }
  }

  private mutating func unicode(into name: inout [UInt8]) throws(JSONPathError) {
    var scalar = try codeUnit()
    if (0xD800...0xDBFF).contains(scalar), bytes[index...].starts(with: "\\u".utf8) {
      index += 2
      let low = try codeUnit()
      guard (0xDC00...0xDFFF).contains(low) else { throw failure(.invalidEscape) }
      scalar = 0x10000 + (scalar - 0xD800) << 10 + (low - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(scalar) else { throw failure(.invalidEscape) }
    name += Array(String(Character(scalar)).utf8)
  }

  private mutating func codeUnit() throws(JSONPathError) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = ASCII.hexValue(byte) else { throw failure(.invalidEscape) }
      unit = unit << 4 | UInt32(digit)
      index += 1
    }
    return unit
  }
}

// MARK: - Errors

extension JSONPathReader {
  private func failure(_ reason: JSONPathError.Reason) -> JSONPathError {
    let before = bytes[..<min(index, bytes.count)].count { $0 & 0xC0 != 0x80 }
    return JSONPathError(text: text, reason: reason, position: before + 1)
  }

  private func unexpected(_ expected: String) -> JSONPathError {
    guard index < bytes.count else { return failure(.unexpectedEnd(expected: expected)) }
    let character = Self.text(bytes[index...].prefix(4)).first ?? "?"
    return failure(.unexpected(character, expected: expected))
  }
}
