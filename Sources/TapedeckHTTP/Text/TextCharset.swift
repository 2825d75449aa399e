/// Text back in the encoding that its `Content-Type` names, where the tool had made Unicode of it.
package enum TextCharset {
  /// The `charset` parameter, in lower case and without quotes.
  package static func name(_ fields: HTTPFields) -> String? {
    guard let value = fields.first("content-type") else { return nil }
    for parameter in value.split(separator: UInt8(ascii: ";")).dropFirst() {
      let text = parameter.filter {
        !ASCII.isBlank($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "'")
      }
      .map(ASCII.lowercased)
      if text.starts(with: "charset=".utf8) { return String(decoding: text.dropFirst(8), as: UTF8.self) }
    }
    return nil
  }

  /// The bytes of a text in the charset that `fields` name; nil when that is one not known here, or one that lacks
  /// some of the characters.
  package static func encode(_ utf8: [UInt8], as fields: HTTPFields) -> [UInt8]? {
    encode(utf8, as: name(fields))
  }

  /// The bytes of a text in a charset, named in lower case.
  package static func encode(_ utf8: [UInt8], as charset: String?) -> [UInt8]? {
    if utf8.allSatisfy({ $0 < 0x80 }) { return utf8 }
    switch charset {
    case nil, "utf-8", "utf8", "unicode-1-1-utf-8": return utf8
    case "iso-8859-1", "iso8859-1", "latin1", "l1", "us-ascii", "ascii", "windows-1252", "cp1252":
      return windows1252(utf8)
    default: return nil
    }
  }

  /// Each character as the byte of its number (ISO 8859-1 as programs read it); nil where there is none.
  package static func latin1(_ utf8: [UInt8]) -> [UInt8]? {
    var out: [UInt8] = []
    for scalar in String(decoding: utf8, as: UTF8.self).unicodeScalars {
      guard let byte = UInt8(exactly: scalar.value) else { return nil }
      out.append(byte)
    }
    return out
  }

  /// What browsers take all of these for (WHATWG Encoding §4.2).
  private static func windows1252(_ utf8: [UInt8]) -> [UInt8]? {
    var out: [UInt8] = []
    for scalar in String(decoding: utf8, as: UTF8.self).unicodeScalars {
      switch scalar.value {
      case ...0xFF: out.append(UInt8(truncatingIfNeeded: scalar.value))
      default:
        guard let index = upper.firstIndex(of: scalar.value) else { return nil }
        out.append(0x80 + UInt8(index))
      }
    }
    return out
  }

  /// What 0x80 to 0x9F stand for; holes stand for themselves.
  private static let upper: [UInt32] = [
    0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152,
    0x8D,
    0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161,
    0x203A,
    0x0153, 0x9D, 0x017E, 0x0178,
  ]
}
