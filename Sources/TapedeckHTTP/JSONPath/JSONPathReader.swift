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
    guard next == UInt8(ascii: "$") else { throw failure("it begins with $, like $.user.name") }
    index += 1
    var steps: [JSONPath.Step] = []
    while next != nil {
      guard steps.count < JSONPath.maximumSteps else {
        throw failure("more than \(JSONPath.maximumSteps) steps")
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

  private mutating func bracket() throws(JSONPathError) -> JSONPath.Step.Selector {
    index += 1
    skipBlanks()
    let selector = try bracketed()
    skipBlanks()
    switch next {
    case UInt8(ascii: "]"): index += 1
    case UInt8(ascii: ","): throw failure("lists in brackets are not supported")
    case UInt8(ascii: ":"): throw failure("ranges are not supported")
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
    case UInt8(ascii: "?"): throw failure("filters are not supported")
    case UInt8(ascii: ":"): throw failure("ranges are not supported")
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
      throw failure("an index is a number like 0, 12 or -1")
    }
    return number
  }
}

extension JSONPathReader {
  /// RFC 9535 §2.3.1.1: JSON's escapes, and the escaped quote.
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

  /// Reads an escape after its backslash.
  private mutating func escape(_ quote: UInt8, into name: inout [UInt8]) throws(JSONPathError) {
    guard let byte = next else { throw unexpected("the rest of an escape") }
    if byte == quote {
      index += 1
      return name.append(byte)
    }
    let (character, length) = JSONString.escape(in: bytes[...], at: index - 1)
    guard byte != UInt8(ascii: "\""), let scalar = character.flatMap(Unicode.Scalar.init) else {
      throw failure("unknown escape")
    }
    index += length - 1
    name += String(Character(scalar)).utf8
  }
}

extension JSONPathReader {
  private func failure(_ problem: String) -> JSONPathError {
    let before = bytes[..<min(index, bytes.count)].count { $0 & 0xC0 != 0x80 }
    return JSONPathError(text: text, problem: problem, position: before + 1)
  }

  private func unexpected(_ expected: String) -> JSONPathError {
    guard index < bytes.count else { return failure("it ends where \(expected) is expected") }
    let character = String(Self.text(bytes[index...].prefix(4)).first ?? "?")
    return failure("\(character.debugDescription) stands where \(expected) is expected")
  }
}
