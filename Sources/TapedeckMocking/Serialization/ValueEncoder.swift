internal import TapedeckHTTP

/// A node of a document under construction; a class, because encoders may fill containers in any order.
final class EncodingNode {
  enum Content {
    case nothing
    case value(JSONValue)
    case array([EncodingNode])
    case object([(name: String, node: EncodingNode)])
  }

  var content = Content.nothing

  /// The encoded value; an empty object if nothing was encoded, as in `JSONEncoder`.
  var json: JSONValue {
    switch content {
    case .nothing: .object([])
    case .value(let value): value
    case .array(let nodes): .array(nodes.map(\.json))
    case .object(let members): .object(members.map { JSONMember(JSONString($0.name), $0.node.json) })
    }
  }

  func appendElement() -> EncodingNode {
    let node = EncodingNode()
    if case .array(let nodes) = content { content = .array(nodes + [node]) } else { content = .array([node]) }
    return node
  }

  func member(_ name: String) -> EncodingNode {
    var members: [(name: String, node: EncodingNode)] = []
    if case .object(let present) = content { members = present }
    if let known = members.first(where: { $0.name == name }) { return known.node }
    content = .nothing
    let node = EncodingNode()
    members.append((name, node))
    content = .object(members)
    return node
  }

  /// Sorts the elements of a set by their JSON, and those of a dictionary by name. A dictionary whose keys
  /// are not names is encoded as alternating keys and values.
  func sort(pairs: Bool) {
    switch content {
    case .object(let members):
      content = .object(members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
    case .array(let items):
      let size = pairs ? 2 : 1
      guard items.count.isMultiple(of: size) else { return }
      let groups = stride(from: 0, to: items.count, by: size).map { Array(items[$0..<($0 + size)]) }
      let sorted = groups.map { (text: $0[0].json.bytes(), group: $0) }
        .sorted { $0.text.lexicographicallyPrecedes($1.text) }
      content = .array(sorted.flatMap(\.group))
    default: return
    }
  }
}

/// Encodes into a node without Foundation, so that a proxy need not load it.
struct ValueEncoder: Encoder, SingleValueEncodingContainer {
  var node = EncodingNode()
  let keys: KeyMapping?
  let format: SerializationFormat
  var depth: Int
  var codingPath: [any CodingKey] = []
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func encode<T: Encodable>(_ value: T) throws {
    guard depth < SerializationRun.maximumDepth else {
      throw SerializationError(.tooDeep(limit: SerializationRun.maximumDepth), path: path)
    }
    do {
      if let special = try FoundationType.json(value, format) {
        node.content = .value(special)
      } else {
        try value.encode(to: self)
        if let type = T.self as? any UnorderedCollection.Type { node.sort(pairs: type.isOfPairs) }
      }
    } catch let error as SerializationError {
      throw error.path.isEmpty ? SerializationError(error.cause, path: path) : error
    }
  }

  private var path: [String] {
    codingPath.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }
  }

  func nested(_ key: any CodingKey, in node: EncodingNode) -> ValueEncoder {
    var encoder = self
    encoder.node = node
    encoder.depth += 1
    encoder.codingPath.append(key)
    return encoder
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if case .object = node.content {} else { node.content = .object([]) }
    return KeyedEncodingContainer(KeyedValues(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    guard case .array(let nodes) = node.content else {
      node.content = .array([])
      return UnkeyedValues(encoder: self)
    }
    return UnkeyedValues(encoder: self, count: nodes.count)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  // MARK: Scalars

  func encodeNil() { node.content = .value(.null) }
  func encode(_ value: Bool) { node.content = .value(.bool(value)) }
  func encode(_ value: String) { node.content = .value(JSONValue(value)) }
  func encode(_ value: Float) throws { try encode(Double(value.description) ?? Double(value)) }

  func encode<T: FixedWidthInteger & Encodable>(_ value: T) {
    node.content = .value(.number(JSONNumber(integer: value)))
  }

  func encode(_ value: Double) throws {
    guard let number = JSONNumber(value) else {
      throw SerializationError(.notFinite("\(value)"), path: path)
    }
    node.content = .value(.number(number))
  }
}

private struct UnkeyedValues: UnkeyedEncodingContainer {
  let encoder: ValueEncoder
  var count = 0
  var codingPath: [any CodingKey] { encoder.codingPath }

  private mutating func next() -> ValueEncoder {
    defer { count += 1 }
    return encoder.nested(AnyCodingKey(intValue: count), in: encoder.node.appendElement())
  }

  mutating func encodeNil() { next().encodeNil() }

  mutating func encode<T: Encodable>(_ value: T) throws { try next().encode(value) }

  mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    next().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { next().unkeyedContainer() }

  mutating func superEncoder() -> any Encoder { next() }
}

private struct KeyedValues<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: ValueEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  private func member(_ key: some CodingKey) -> ValueEncoder {
    let name = encoder.keys?.transform(key.stringValue) ?? key.stringValue
    return encoder.nested(AnyCodingKey(stringValue: key.stringValue), in: encoder.node.member(name))
  }

  mutating func encodeNil(forKey key: Key) { member(key).encodeNil() }

  mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try member(key).encode(value) }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    member(key).container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    member(key).unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder { member(AnyCodingKey(stringValue: "super")) }

  mutating func superEncoder(forKey key: Key) -> any Encoder { member(key) }
}

struct AnyCodingKey: CodingKey {
  var stringValue: String
  var intValue: Int?

  init(stringValue: String) { self.stringValue = stringValue }

  init(intValue: Int) {
    stringValue = String(intValue)
    self.intValue = intValue
  }
}

/// A collection without a stable order, which is written sorted.
private protocol UnorderedCollection {
  static var isOfPairs: Bool { get }
}

extension Set: UnorderedCollection {
  static var isOfPairs: Bool { false }
}

extension Dictionary: UnorderedCollection {
  static var isOfPairs: Bool { true }
}
