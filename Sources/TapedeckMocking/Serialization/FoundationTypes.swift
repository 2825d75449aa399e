internal import TapedeckHTTP

/// Foundation's values without Foundation, so that a proxy need not load it: they are recognized by their type's name and
/// read through `Encodable`, `Collection` and their descriptions.
enum FoundationTypes {
  enum Known { case date, data, url, uuid, decimal, null, text }

  private static let names: [String: Known] = [
    "Date": .date, "Data": .data, "URL": .url, "UUID": .uuid, "Decimal": .decimal, "NSNull": .null,
    "NSString": .text, "NSMutableString": .text,
  ]

  /// 2001-01-01, from which a `Date` counts its seconds, in seconds since 1970.
  private static let referenceDateSeconds: Double = 978_307_200

  static func known(_ type: any Any.Type) -> Known? {
    let parts = String(reflecting: type).split(separator: ".")
    guard parts.count == 2, parts[0] == "Foundation" || parts[0] == "FoundationEssentials" else { return nil }
    return names[String(parts[1])]
  }

  /// The writer of one of these types; `nil` for any other type.
  static func writer<T>(of type: T.Type) -> ValueWriter? {
    known(type).map { known in
      ValueWriter(of: type) { value, run throws(SerializationError) in
        try json(value.pointee, known, run.format).write(.compact, to: &run.out)
        return true
      }
    }
  }

  /// The JSON of a value of one of these types; `nil` for any other type.
  static func json<T>(_ value: T, _ format: SerializationFormat) throws(SerializationError) -> JSONValue? {
    guard let known = known(T.self) else { return nil }
    return try json(value, known, format)
  }

  private static func json<T>(
    _ value: T, _ known: Known, _ format: SerializationFormat
  ) throws(SerializationError) -> JSONValue {
    switch known {
    case .date: try date(value, format.dates)
    case .data: data(value, format.data)
    case .url: JSONValue(try url(try encoded(value)))
    case .uuid: try encoded(value)
    case .decimal: try decimal("\(value)")
    case .null: .null
    case .text: JSONValue("\(value)")
    }
  }

  /// The JSON that the value encodes itself.
  private static func encoded<T>(_ value: T) throws(SerializationError) -> JSONValue {
    guard let value = value as? any Encodable else { return JSONValue("\(value)") }
    let encoder = ValueEncoder(keys: nil, format: SerializationFormat(), depth: 0)
    do { try value.encode(to: encoder) } catch { throw SerializationError(.failedEncoding("\(error)")) }
    return encoder.node.json
  }

  private static func date<T>(
    _ value: T, _ format: SerializationFormat.Dates
  ) throws(SerializationError) -> JSONValue {
    let seconds = (try encoded(value).double ?? 0) + referenceDateSeconds
    switch format {
    case .iso8601: return JSONValue(CivilTime(secondsSince1970: seconds).iso8601)
    case .secondsSince1970: return .number(JSONNumber(seconds) ?? JSONNumber(0))
    case .millisecondsSince1970: return .number(JSONNumber((seconds * 1000).rounded()) ?? JSONNumber(0))
    case .custom(let make): return make(seconds)
    }
  }

  private static func data<T>(_ value: T, _ format: SerializationFormat.Data) -> JSONValue {
    let bytes = (value as? any Sequence<UInt8>).map { Array($0) } ?? []
    switch format {
    case .base64: return JSONValue(Base64.encode(bytes))
    case .bytes: return .array(bytes.map { JSONValue(Int($0)) })
    }
  }

  /// A URL encodes its text and its base.
  private static func url(_ encoded: JSONValue) throws(SerializationError) -> String {
    if let text = encoded.text { return text }
    let relative = encoded["relative"]?.text ?? ""
    guard let base = encoded["base"], !base.isNull else { return relative }
    return URLText.resolve(relative, against: try url(base))
  }

  private static func decimal(_ text: String) throws(SerializationError) -> JSONValue {
    guard let json = try? JSONValue(parsing: Array(text.utf8)), case .number = json else {
      throw SerializationError(.notFinite(text))
    }
    return json
  }

  // MARK: Decoding

  /// Reads a value in the form in which this room writes it by default; `nil` for types that decode themselves.
  static func decode<T: Decodable>(_ type: T.Type, from decoder: ValueDecoder) throws -> T? {
    guard let known = known(type) else { return nil }
    switch known {
    case .date:
      guard let text = decoder.value.text, let seconds = CivilTime.seconds(iso8601: text) else { return nil }
      return try type.init(from: ValueDecoder(JSONValue(seconds - referenceDateSeconds)))
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
