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

  /// What was encoded; an empty object for a value that encoded nothing, as in `JSONEncoder`.
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

  /// The member called `name`, made by the first call.
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
}

/// Encodes into a node without Foundation, so that a proxy need not load it.
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

  /// The encoder of a part.
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

/// A key from a position or a name.
struct AnyCodingKey: CodingKey {
  var stringValue: String
  var intValue: Int?

  init(stringValue: String) { self.stringValue = stringValue }

  init(intValue: Int) {
    stringValue = String(intValue)
    self.intValue = intValue
  }
}
