internal import TapedeckHTTP

struct SingleValue: SingleValueEncodingContainer {
  let encoder: ValueEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  private func put(_ value: JSONValue) { encoder.node.content = .value(value) }

  mutating func encodeNil() { put(.null) }
  mutating func encode(_ value: Bool) { put(.bool(value)) }
  mutating func encode(_ value: String) { put(JSONValue(value)) }
  mutating func encode(_ value: Double) throws { put(try encoder.json(value)) }
  mutating func encode(_ value: Float) throws { put(try encoder.json(value)) }
  mutating func encode<T: FixedWidthInteger & Encodable>(_ value: T) { put(encoder.json(value)) }
  mutating func encode<T: Encodable>(_ value: T) throws { try encoder.encode(value) }
}

struct UnkeyedValues: UnkeyedEncodingContainer {
  let encoder: ValueEncoder
  var count = 0
  var codingPath: [any CodingKey] { encoder.codingPath }

  init(encoder: ValueEncoder) {
    self.encoder = encoder
    if case .array(let nodes) = encoder.node.content { count = nodes.count }
  }

  private mutating func next() -> ValueEncoder {
    defer { count += 1 }
    return encoder.nested(AnyCodingKey(intValue: count), in: encoder.node.appendElement())
  }

  mutating func encodeNil() { next().node.content = .value(.null) }

  mutating func encode<T: Encodable>(_ value: T) throws { try next().encode(value) }

  mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    next().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { next().unkeyedContainer() }

  mutating func superEncoder() -> any Encoder { next() }
}

struct KeyedValues<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: ValueEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  private func member(_ key: some CodingKey) -> ValueEncoder {
    let name = encoder.keys?.transform(key.stringValue) ?? key.stringValue
    return encoder.nested(AnyCodingKey(stringValue: key.stringValue), in: encoder.node.member(name))
  }

  mutating func encodeNil(forKey key: Key) { member(key).node.content = .value(.null) }

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

// MARK: - Order

/// A collection without a stable order, which is written in a sorted one.
protocol UnorderedCollection {
  /// Sorts what was encoded.
  static func sort(_ node: EncodingNode)
}

extension Set: UnorderedCollection {
  /// In the order of the elements' JSON.
  static func sort(_ node: EncodingNode) {
    guard case .array(let elements) = node.content else { return }
    node.content = .array(elements.sortedByText { $0.json })
  }
}

extension Dictionary: UnorderedCollection {
  /// In the order of the names. A dictionary whose keys are not names is encoded as keys and values in turn.
  static func sort(_ node: EncodingNode) {
    switch node.content {
    case .object(let members):
      node.content = .object(
        members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
    case .array(let items) where items.count.isMultiple(of: 2):
      let pairs = stride(from: 0, to: items.count, by: 2).map { [items[$0], items[$0 + 1]] }
      node.content = .array(pairs.sortedByText { $0[0].json }.flatMap { $0 })
    default: return
    }
  }
}

extension Array {
  fileprivate func sortedByText(_ json: (Element) -> JSONValue) -> [Element] {
    map { (text: json($0).bytes(), element: $0) }
      .sorted { $0.text.lexicographicallyPrecedes($1.text) }.map(\.element)
  }
}
