/// Encodes text that was decoded to Unicode in the charset of its `Content-Type` again.
package enum TextCharset {
  /// The `charset` parameter, in lower case and without quotes.
  package static func name(_ fields: HTTPFields) -> String? {
    fields.first("content-type")?.parameter("charset").map { value in
      String(decoding: value.filter { $0 != UInt8(ascii: "'") }.map(ASCII.lowercased), as: UTF8.self)
    }
  }

  /// Encodes text in the charset that `fields` name; `nil` when it is unknown or lacks a character.
  package static func encode(_ utf8: [UInt8], as fields: HTTPFields) -> [UInt8]? {
    encode(utf8, as: name(fields))
  }

  package static func encode(_ utf8: [UInt8], as charset: String?) -> [UInt8]? {
    if utf8.allSatisfy({ $0 < 0x80 }) { return utf8 }
    switch charset {
    case nil, "utf-8", "utf8", "unicode-1-1-utf-8": return utf8
    case "iso-8859-1", "iso8859-1", "latin1", "l1", "us-ascii", "ascii", "windows-1252", "cp1252":
      return bytes(utf8, upper: windows1252)
    default: return nil
    }
  }

  /// Encodes text as ISO 8859-1, including control characters; `nil` when a character is beyond U+00FF.
  package static func latin1(_ utf8: [UInt8]) -> [UInt8]? { bytes(utf8, upper: []) }

  private static func bytes(_ utf8: [UInt8], upper: [UInt32]) -> [UInt8]? {
    var out: [UInt8] = []
    for scalar in String(decoding: utf8, as: UTF8.self).unicodeScalars {
      let place = upper.firstIndex(of: scalar.value)
      guard let byte = UInt8(exactly: scalar.value) ?? place.map({ 0x80 + UInt8($0) }) else { return nil }
      out.append(byte)
    }
    return out
  }

  /// 0x80 to 0x9F in windows-1252, which browsers use for all of these charsets (WHATWG Encoding §4.2).
  private static let windows1252: [UInt32] = [
    0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
    0x0152, 0x8D, 0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
    0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
  ]
}
