import TapedeckHTTP
import TapedeckRecording

/// The header fields of a HAR's messages, and the cookies derived from them.
enum HARFields {
  /// Goes through header fields: objects with `name` and `value`, pairs as Slack's client writes them, or one object as
  /// small tools do.
  static func each(_ fields: JSONValue?, _ take: (_ name: [UInt8], _ value: [UInt8]) -> Void) {
    for member in fields?.members ?? [] {
      if let value = member.value.utf8Text { take(member.name.decodedBytes, value) }
    }
    for field in fields?.array ?? [] {
      // A value in our own files that is not UTF-8.
      let bytes = field["_base64"]?.utf8Text.flatMap { Base64.decode($0) }
      let value = field["value"] ?? field[1] ?? .null
      if let name = (field["name"] ?? field[0] ?? .null).utf8Text, let value = bytes ?? value.utf8Text {
        take(name, value)
      }
    }
  }

  static func encode(_ fields: HTTPFields) -> JSONValue {
    .array(
      fields.map { field in
        let text = JSONString(utf8: field.value).map { JSONValue.string($0) }
        return .object(of: [
          "name": JSONValue(decoding: field.name), "value": text ?? JSONValue(latin1(field.value)),
          "_base64": text == nil ? JSONValue(Base64.encode(field.value)) : JSONValue?.none,
        ])
      })
  }

  private static func latin1(_ bytes: ArraySlice<UInt8>) -> String {
    String(String.UnicodeScalarView(bytes.map { UnicodeScalar($0) }))
  }

  // MARK: Cookies

  /// The cookies of `Cookie` (RFC 6265 §4.2.1).
  static func sentCookies(_ fields: HTTPFields) -> JSONValue {
    let pairs = fields.values(of: "cookie").flatMap { $0.split(separator: UInt8(ascii: ";")) }
    return .array(pairs.map { .object(cookie($0)) })
  }

  /// The cookies of `Set-Cookie` (RFC 6265 §5.2).
  static func setCookies(_ fields: HTTPFields) -> JSONValue {
    .array(
      fields.values(of: "set-cookie").map { field in
        let parts = field.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        // Of several attributes of one name the last counts.
        var seen: Set<String> = []
        let attributes = parts.dropFirst().compactMap(attribute).reversed().filter {
          seen.insert($0.name.text).inserted
        }
        return .object(cookie(parts.first ?? []) + attributes.reversed())
      })
  }

  private static func cookie(_ text: ArraySlice<UInt8>) -> [JSONMember] {
    let (name, value) = split(text)
    return [JSONMember("name", JSONValue(name)), JSONMember("value", JSONValue(value ?? ""))]
  }

  private static func attribute(_ part: ArraySlice<UInt8>) -> JSONMember? {
    let (name, value) = split(part)
    switch (name.lowercased(), value) {
    case ("path", let path?): return JSONMember("path", JSONValue(path))
    case ("domain", let domain?): return JSONMember("domain", JSONValue(domain))
    case ("expires", let date?):
      // Dates of Netscape's cookies have dashes: `Wed, 21-Oct-2026 07:28:00 GMT`.
      return ImportedTime.http(String(date.map { $0 == "-" ? " " : $0 })).map {
        JSONMember("expires", JSONValue(Timestamp.text(milliseconds: $0)))
      }
    case ("httponly", _): return JSONMember("httpOnly", true)
    case ("secure", _): return JSONMember("secure", true)
    default: return nil
    }
  }

  private static func split(_ text: ArraySlice<UInt8>) -> (name: String, value: String?) {
    let equals = text.firstIndex(of: UInt8(ascii: "="))
    func trimmed(_ text: ArraySlice<UInt8>) -> String {
      String(decoding: text.trimmingBlanks(), as: UTF8.self)
    }
    return (trimmed(text[..<(equals ?? text.endIndex)]), equals.map { trimmed(text[($0 + 1)...]) })
  }
}
