internal import TapedeckHTTP

/// A place in a document under construction. Encoders may fill containers in any order, so places are objects.
final class EncodingNode {
  enum Content {
    case nothing
    case value(JSONValue)
    case array([EncodingNode])
    case object([(name: String, node: EncodingNode)])
  }

  var content = Content.nothing

  /// What was encoded; an empty object for a value that encoded nothing, as `JSONEncoder` has it.
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

  /// The member called `name`, which a second call finds again.
  func member(_ name: String) -> EncodingNode {
    guard case .object(var members) = content else {
      let node = EncodingNode()
      content = .object([(name, node)])
      return node
    }
    if let known = members.first(where: { $0.name == name }) { return known.node }
    let node = EncodingNode()
    content = .nothing
    members.append((name, node))
    content = .object(members)
    return node
  }
}

/// Encodes into a node. Without Foundation, so that a proxy that serves no `Encodable` does not load it.
struct ValueEncoder: Encoder {
  let node: EncodingNode
  let keys: KeyMapping?
  let format: SerializationFormat
  let depth: Int
  var codingPath: [any CodingKey] = []
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(
    at node: EncodingNode = EncodingNode(), keys: KeyMapping?, format: SerializationFormat, depth: Int
  ) {
    self.node = node
    self.keys = keys
    self.format = format
    self.depth = depth
  }

  func encode<T: Encodable>(_ value: T) throws {
    guard depth < SerializationRun.maximumDepth else {
      throw SerializationError(.tooDeep(limit: SerializationRun.maximumDepth), path: path)
    }
    do {
      if let special = try FoundationTypes.json(value, format) {
        node.content = .value(special)
      } else {
        try value.encode(to: self)
        if let type = T.self as? any UnorderedCollection.Type { type.sort(node) }
      }
    } catch let error as SerializationError {
      throw error.path.isEmpty ? SerializationError(error.cause, path: path) : error
    }
  }

  private var path: [String] {
    codingPath.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }
  }

  /// An encoder of a part.
  func nested(_ key: any CodingKey, in node: EncodingNode) -> ValueEncoder {
    var encoder = ValueEncoder(at: node, keys: keys, format: format, depth: depth + 1)
    encoder.codingPath = codingPath + [key]
    return encoder
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if case .object = node.content {} else { node.content = .object([]) }
    return KeyedEncodingContainer(KeyedValues(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if case .array = node.content {} else { node.content = .array([]) }
    return UnkeyedValues(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { SingleValue(encoder: self) }

  // MARK: Scalars

  func json(_ value: some FixedWidthInteger) -> JSONValue { .number(JSONNumber(integer: value)) }

  func json(_ value: Double) throws -> JSONValue {
    guard let number = JSONNumber(value) else {
      throw SerializationError(.notFinite("\(value)"), path: path)
    }
    return .number(number)
  }

  func json(_ value: Float) throws -> JSONValue { try json(Double(value.description) ?? Double(value)) }
}

/// A key made of a position or a word.
struct AnyCodingKey: CodingKey {
  var stringValue: String
  var intValue: Int?

  init(stringValue: String) { self.stringValue = stringValue }

  init(intValue: Int) {
    stringValue = String(intValue)
    self.intValue = intValue
  }
}
