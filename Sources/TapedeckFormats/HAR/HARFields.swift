import TapedeckHTTP

/// The header fields of a message: objects with `name` and `value`, pairs as Slack's client writes them, or one object
/// as small tools do.
enum HARFields {
  static func each(_ fields: JSONValue?, _ take: (_ name: [UInt8], _ value: [UInt8]) -> Void) {
    for member in fields?.members ?? [] {
      if let value = member.value.utf8Text { take(member.name.decodedBytes, value) }
    }
    for field in fields?.array ?? [] {
      let name = field["name"] ?? field[0] ?? .null
      let value = field["value"] ?? field[1] ?? .null
      if let name = name.utf8Text, let value = bytes(field) ?? value.utf8Text { take(name, value) }
    }
  }

  /// A value in our own files that is not UTF-8.
  private static func bytes(_ field: JSONValue) -> [UInt8]? {
    guard case .string(let text)? = field["_base64"] else { return nil }
    return Base64.decode(text.decodedBytes)
  }

  static func encode(_ fields: HTTPFields) -> JSONValue {
    .array(
      fields.map { field in
        let name = JSONMember("name", JSONValue(String(decoding: field.name, as: UTF8.self)))
        if let text = JSONString(utf8: field.value) {
          return .object([name, JSONMember("value", .string(text))])
        }
        let latin1 = String(String.UnicodeScalarView(field.value.map { UnicodeScalar($0) }))
        return .object([
          name, JSONMember("value", JSONValue(latin1)),
          JSONMember("_base64", JSONValue(Base64.encode(field.value))),
        ])
      })
  }
}
