public import TapedeckHTTP

extension JSONValue {
  /// The value as a `Decodable` type.
  /// - Throws: `DecodingError`.
  public func decode<T: Decodable>(_ type: T.Type) throws -> T { try ValueDecoder(self).decode(type) }
}

/// Decodes from JSON without Foundation; dates, data and URLs are read as this module writes them.
struct ValueDecoder: Decoder {
  let value: JSONValue
  var codingPath: [any CodingKey] = []
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ value: JSONValue, at path: [any CodingKey] = []) {
    self.value = value
    codingPath = path
  }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    if let special = try FoundationTypes.decode(type, from: self) { return special }
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

  func singleValueContainer() throws -> any SingleValueDecodingContainer { SingleReader(decoder: self) }

  // MARK: Scalars

  func bool() throws -> Bool {
    guard let bool = value.bool else { throw mismatch(Bool.self, "true or false") }
    return bool
  }

  func text() throws -> String {
    guard let text = value.text else { throw mismatch(String.self, "a text") }
    return text
  }

  func double() throws -> Double {
    guard let number = value.double else { throw mismatch(Double.self, "a number") }
    return number
  }

  func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) throws -> Integer {
    guard case .number(let number) = value else { throw mismatch(type, "a whole number") }
    if let integer = Integer(String(decoding: number.raw, as: UTF8.self)) { return integer }
    guard let double = number.double, let integer = Integer(exactly: double) else {
      throw mismatch(type, "a whole number from \(Integer.min) to \(Integer.max)")
    }
    return integer
  }

  func mismatch(_ type: any Any.Type, _ wanted: String) -> DecodingError {
    DecodingError.typeMismatch(
      type,
      DecodingError.Context(
        codingPath: codingPath, debugDescription: "\(path) is \(found), and \(wanted) is expected"))
  }

  private var found: String {
    switch value {
    case .null: "null"
    case .array: "an array"
    case .object: "an object"
    case .bool, .number, .string: value.description
    }
  }

  private var path: String {
    "$" + codingPath.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }.joined()
  }

  func nested(_ value: JSONValue, _ key: any CodingKey) -> ValueDecoder {
    ValueDecoder(value, at: codingPath + [key])
  }
}

struct SingleReader: SingleValueDecodingContainer {
  let decoder: ValueDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool { decoder.value.isNull }
  func decode(_ type: Bool.Type) throws -> Bool { try decoder.bool() }
  func decode(_ type: String.Type) throws -> String { try decoder.text() }
  func decode(_ type: Double.Type) throws -> Double { try decoder.double() }
  func decode(_ type: Float.Type) throws -> Float { Float(try decoder.double()) }
  func decode<T: FixedWidthInteger & Decodable>(_ type: T.Type) throws -> T { try decoder.integer(type) }
  func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.decode(type) }
}

struct UnkeyedReader: UnkeyedDecodingContainer {
  let items: [JSONValue]
  let decoder: ValueDecoder
  var currentIndex = 0
  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { items.count }
  var isAtEnd: Bool { currentIndex >= items.count }

  /// Runs `body` with the decoder of the next element, and moves on unless it throws.
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

struct KeyedReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let members: [String: JSONValue]
  /// In the order of the document.
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
