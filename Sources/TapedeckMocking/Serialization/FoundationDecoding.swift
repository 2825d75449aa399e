internal import TapedeckHTTP

/// Reads Foundation's values in the form in which this module writes them by default.
enum FoundationDecoding {
  /// Nil for types that read themselves.
  static func value<T: Decodable>(_ type: T.Type, from decoder: ValueDecoder) throws -> T? {
    guard let known = FoundationTypes.known(type) else { return nil }
    switch known {
    case .date:
      guard let text = decoder.value.text, let seconds = CivilTime.seconds(iso8601: text) else { return nil }
      return try type.init(from: ValueDecoder(JSONValue(seconds - 978_307_200)))
    case .data:
      guard let text = decoder.value.text, let bytes = Base64.decode(Array(text.utf8)) else { return nil }
      return try type.init(from: ValueDecoder(.array(bytes.map { JSONValue(Int($0)) })))
    case .url:
      guard let text = decoder.value.text else { return nil }
      return try type.init(from: ValueDecoder(["relative": JSONValue(text)]))
    case .decimal, .uuid, .null, .text: return nil
    }
  }
}
