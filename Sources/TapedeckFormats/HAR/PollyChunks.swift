import TapedeckHTTP

/// Polly.JS writes a compressed body as the pieces it came in: the text is a JSON array of strings, each of them base64,
/// in old versions hexadecimal.
enum PollyChunks {
  /// The body as it was on the wire; nil when the text is no such thing.
  static func bytes(_ text: [UInt8], _ encoding: JSONValue?) -> [UInt8]? {
    guard encoding?.text?.lowercased() == "base64", text.first == UInt8(ascii: "["),
      let pieces = try? JSONValue(parsing: text), let items = pieces.array, !items.isEmpty
    else { return nil }
    let texts = items.compactMap(HARText.utf8)
    guard texts.count == items.count else { return nil }
    return joined(texts, hexadecimal) ?? joined(texts, Base64.decodeTolerant)
  }

  private static func joined(_ texts: [[UInt8]], _ decode: ([UInt8]) -> [UInt8]?) -> [UInt8]? {
    var out: [UInt8] = []
    for text in texts {
      guard let bytes = decode(text) else { return nil }
      out += bytes
    }
    return out
  }

  private static func hexadecimal(_ text: [UInt8]) -> [UInt8]? {
    let digits = text.compactMap(ASCII.hexValue)
    guard digits.count == text.count, digits.count % 2 == 0 else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}
