package import TapedeckHTTP

/// Strings of a HAR as bytes.
package enum HARText {
  /// The text as UTF-8, with U+FFFD for lone surrogates, which browsers write where they cut a text; nil for what is
  /// no string.
  package static func utf8(_ value: JSONValue) -> [UInt8]? {
    guard case .string(let string) = value else { return nil }
    return string.utf8 ?? Array(string.text.utf8)
  }
}
