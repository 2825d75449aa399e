internal import TapedeckHTTP

/// Writes a document in the subset of YAML that every reader of it takes the same: blocks of maps and lists, texts in
/// double quotes, in which every character that is not printable is escaped.
enum YAMLWriter {
  static func bytes(_ value: YAMLValue, level: Int = 0) -> [UInt8] {
    var out: [UInt8] = []
    write(value, level: level, isItem: false, to: &out)
    return out
  }

  /// - Parameter isItem: whether the dash of a list stands before it, in the same line.
  private static func write(_ value: YAMLValue, level: Int, isItem: Bool, to out: inout [UInt8]) {
    func indent(_ index: Int) {
      if index > 0 || !isItem { out += Array(repeating: 0x20, count: 2 * level) }
    }
    switch value {
    case .map(let members) where !members.isEmpty:
      for (index, member) in members.enumerated() {
        indent(index)
        writeScalar(named(member.name), to: &out)
        // A scalar stands in its member's line, everything else below it.
        let inner = innerLevel(of: member.value, below: level)
        out += inner == nil ? ": ".utf8 : ":\n".utf8
        write(member.value, level: inner ?? level, isItem: false, to: &out)
      }
    case .list(let items) where !items.isEmpty:
      for (index, item) in items.enumerated() {
        indent(index)
        out += "- ".utf8
        write(item, level: level + 1, isItem: true, to: &out)
      }
    default:
      writeScalar(value, to: &out)
      out.append(0x0A)
    }
  }

  /// The level of a block below a member; `nil` for what is written in one line.
  private static func innerLevel(of value: YAMLValue, below level: Int) -> Int? {
    switch value {
    case .map(let members): members.isEmpty ? nil : level + 1
    case .list(let items): items.isEmpty ? nil : level
    default: nil
    }
  }

  // MARK: Scalars

  private static func writeScalar(_ value: YAMLValue, to out: inout [UInt8]) {
    switch value {
    case .null: out += "null".utf8
    case .plain(let bytes): out += bytes
    case .text(let bytes): out += quoted(bytes)
    case .binary(let bytes): out += Array("!!binary \"\(Base64.encode(bytes))\"".utf8)
    case .list: out += "[]".utf8
    case .map: out += "{}".utf8
    }
  }

  /// A name that no reader takes for anything else needs no quotes.
  private static func named(_ name: [UInt8]) -> YAMLValue {
    let isWord = name.allSatisfy { ASCII.isLetter($0) || "_-".utf8.contains($0) }
    let words = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"]
    let isTaken = words.contains { name.map(ASCII.lowercased).elementsEqual($0.utf8) }
    return isWord && !isTaken && name.first.map { $0 != UInt8(ascii: "-") } == true
      ? .plain(name) : .text(name)
  }

  /// YAML 1.2 §5.7, in the escapes that 1.1 has too.
  private static func quoted(_ text: [UInt8]) -> [UInt8] {
    var out = [UInt8(ascii: "\"")]
    for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
      switch scalar.value {
      case 0x22: out += #"\""#.utf8
      case 0x5C: out += #"\\"#.utf8
      case 0x09: out += #"\t"#.utf8
      case 0x0A: out += #"\n"#.utf8
      case 0x0D: out += #"\r"#.utf8
      case 0x20...0x7E, 0xA1...0x2027, 0x202A...0xD7FF, 0xE000...0xFEFE, 0xFF00...0xFFFD, 0x10000...:
        out += UTF8.encode(scalar).map(Array.init) ?? []
      case ...0xFF: out += escape("x", scalar.value, digits: 2)
      default: out += escape("u", scalar.value, digits: 4)
      }
    }
    return out + [UInt8(ascii: "\"")]
  }

  private static func escape(_ letter: String, _ value: UInt32, digits: Int) -> [UInt8] {
    let hex = String(value, radix: 16, uppercase: true)
    return Array("\\\(letter)\(String(repeating: "0", count: digits - hex.utf8.count))\(hex)".utf8)
  }
}

extension YAMLValue: ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral {
  init(stringLiteral text: String) { self = .text(Array(text.utf8)) }

  init(dictionaryLiteral members: (String, YAMLValue)...) {
    self = .map(members.map { YAMLMember(name: Array($0.0.utf8), value: $0.1) })
  }

  init(_ text: String) { self = .text(Array(text.utf8)) }

  init(_ number: Int) { self = .plain(Array(String(number).utf8)) }
}
