import TapedeckHTTP
import TapedeckRecording

/// The cookies of a message, derived from its header fields for readers that look nowhere else.
enum HARCookies {
  /// Those of `Cookie` (RFC 6265 §4.2.1).
  static func sent(_ fields: HTTPFields) -> JSONValue {
    let pairs = fields.values(of: "cookie").flatMap { $0.split(separator: UInt8(ascii: ";")) }
    return .array(pairs.map { .object(pair($0)) })
  }

  /// Those of `Set-Cookie` (RFC 6265 §5.2).
  static func set(_ fields: HTTPFields) -> JSONValue {
    .array(
      fields.values(of: "set-cookie").map { field in
        let parts = field.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        return .object(pair(parts.first ?? []) + attributes(parts.dropFirst()))
      })
  }

  private static func pair(_ text: ArraySlice<UInt8>) -> [JSONMember] {
    let (name, value) = split(text)
    return [JSONMember("name", JSONValue(name)), JSONMember("value", JSONValue(value ?? ""))]
  }

  private static func attributes(_ parts: ArraySlice<ArraySlice<UInt8>>) -> [JSONMember] {
    var members: [JSONMember] = []
    for part in parts {
      let (name, value) = split(part)
      switch (name.lowercased(), value) {
      case ("path", let path?): members.append(JSONMember("path", JSONValue(path)))
      case ("domain", let domain?): members.append(JSONMember("domain", JSONValue(domain)))
      case ("expires", let date?):
        // Dates of Netscape's cookies have dashes: `Wed, 21-Oct-2026 07:28:00 GMT`.
        if let time = ImportedTime.http(String(date.map { $0 == "-" ? " " : $0 })) {
          members.append(JSONMember("expires", JSONValue(Timestamp.text(milliseconds: time))))
        }
      case ("httponly", _): members.append(JSONMember("httpOnly", true))
      case ("secure", _): members.append(JSONMember("secure", true))
      default: break
      }
    }
    var seen: Set<String> = []
    return members.reversed().filter { seen.insert($0.name.text).inserted }.reversed()
  }

  private static func split(_ text: ArraySlice<UInt8>) -> (name: String, value: String?) {
    let equals = text.firstIndex(of: UInt8(ascii: "="))
    let name = trimmed(text[..<(equals ?? text.endIndex)])
    return (name, equals.map { trimmed(text[($0 + 1)...]) })
  }

  private static func trimmed(_ text: ArraySlice<UInt8>) -> String {
    var text = text.drop(while: ASCII.isBlank)
    while let last = text.last, ASCII.isBlank(last) { text.removeLast() }
    return String(decoding: text, as: UTF8.self)
  }
}
