public import TapedeckHTTP

extension JSONValue {
  /// Decodes a value.
  /// - Throws: `DecodingError`.
  public func decode<T: Decodable>(_ type: T.Type) throws -> T { try ValueDecoder(self).decode(type) }
}

/// Decodes from JSON without Foundation; dates, data and URLs are read as this module writes them.
struct ValueDecoder: Decoder, SingleValueDecodingContainer {
  let value: JSONValue
  var codingPath: [any CodingKey] = []
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ value: JSONValue, at path: [any CodingKey] = []) {
    self.value = value
    codingPath = path
  }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    if let special = try FoundationType.decode(type, from: value) { return special }
    return try type.init(from: self)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard let members = value.members else { throw mismatch([String: JSONValue].self, "an object") }
    var table: [String: JSONValue] = [:]
    for member in members { table[member.name.text] = member.value }
    return KeyedDecodingContainer(KeyedReader(members: table, names: members.map(\.name.text), decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard let items = value.array else { throw mismatch([JSONValue].self, "an array") }
    return UnkeyedReader(items: items, decoder: self)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

  // MARK: Scalars

  func decodeNil() -> Bool { value.isNull }

  func decode(_ type: Bool.Type) throws -> Bool {
    guard let bool = value.bool else { throw mismatch(Bool.self, "true or false") }
    return bool
  }

  func decode(_ type: String.Type) throws -> String {
    guard let text = value.text else { throw mismatch(String.self, "a text") }
    return text
  }

  func decode(_ type: Double.Type) throws -> Double {
    guard let number = value.double else { throw mismatch(Double.self, "a number") }
    return number
  }

  func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }

  func decode<T: FixedWidthInteger & Decodable>(_ type: T.Type) throws -> T {
    guard case .number(let number) = value else { throw mismatch(type, "a whole number") }
    if let integer = T(String(decoding: number.raw, as: UTF8.self)) { return integer }
    guard let double = number.double, let integer = T(exactly: double) else {
      throw mismatch(type, "a whole number from \(T.min) to \(T.max)")
    }
    return integer
  }

  private func mismatch(_ type: any Any.Type, _ wanted: String) -> DecodingError {
    let path = codingPath.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }.joined()
    let found =
      switch value {
      case .null: "null"
      case .array: "an array"
      case .object: "an object"
      case .bool, .number, .string: value.description
      }
    return .typeMismatch(
      type,
      DecodingError.Context(
        codingPath: codingPath, debugDescription: "$\(path) is \(found), and \(wanted) is expected"))
  }

  func nested(_ value: JSONValue, _ key: any CodingKey) -> ValueDecoder {
    ValueDecoder(value, at: codingPath + [key])
  }
}

private struct UnkeyedReader: UnkeyedDecodingContainer {
  let items: [JSONValue]
  let decoder: ValueDecoder
  var currentIndex = 0
  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { items.count }
  var isAtEnd: Bool { currentIndex >= items.count }

  /// Runs `body` with the decoder of the next element, and advances unless it throws.
  private mutating func next<T>(_ type: any Any.Type, _ body: (ValueDecoder) throws -> T) throws -> T {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        type,
        DecodingError.Context(codingPath: codingPath, debugDescription: "the array has no more elements"))
    }
    let result = try body(decoder.nested(items[currentIndex], AnyCodingKey(intValue: currentIndex)))
    currentIndex += 1
    return result
  }

  mutating func decodeNil() throws -> Bool {
    let isNull = try next(Never.self) { $0.value.isNull }
    if !isNull { currentIndex -= 1 }
    return isNull
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next(type) { try $0.decode(type) } }

  mutating func nestedContainer<Key: CodingKey>(
    keyedBy type: Key.Type
  ) throws -> KeyedDecodingContainer<Key> {
    try next(type) { try $0.container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next([JSONValue].self) { try $0.unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder { try next(JSONValue.self) { $0 } }
}

private struct KeyedReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let members: [String: JSONValue]
  let names: [String]
  let decoder: ValueDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }
  var allKeys: [Key] { names.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }

  private func member(_ key: some CodingKey) throws -> ValueDecoder {
    guard let value = members[key.stringValue] else {
      throw DecodingError.keyNotFound(
        key,
        DecodingError.Context(
          codingPath: codingPath, debugDescription: "there is no member \(key.stringValue.debugDescription)"))
    }
    return decoder.nested(value, key)
  }

  func decodeNil(forKey key: Key) throws -> Bool { try member(key).value.isNull }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try member(key).decode(type) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try member(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try member(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { try member(AnyCodingKey(stringValue: "super")) }

  func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }
}
