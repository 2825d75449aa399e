public import TapedeckHTTP

/// Something that can be written as JSON.
///
/// Conforming is all it takes: the stored properties are reflected, inherited ones included. What a value becomes:
///
/// | value | JSON |
/// |---|---|
/// | struct, class | an object of its stored properties, in the order they are declared |
/// | `Optional` | the value; nil leaves the member out |
/// | `Array`, `Set` | an array without its nil elements; a set in the order of its elements' JSON |
/// | `Dictionary` | an object, its members in the order of their names; nil values are left out |
/// | enum with raw values | the raw value |
/// | enum without | a case without payload is its name; with payload `{"name": payload}` |
/// | `CustomSerializable` | what it says |
/// | `Encodable`, and not `Serializable` | what it encodes |
///
/// An object that is met again inside itself is left out, so cyclic graphs come to an end.
public protocol Serializable: SendableMetatype {}

/// Makes a JSON member name of a property name or dictionary key. It is asked once for each property of a type, so it
/// must give the same answer for the same name.
public typealias KeyTransformer = (_ key: String) -> String

/// Something that says itself what it becomes in JSON.
public protocol CustomSerializable: Serializable {
  /// What stands for this value: anything that can be serialised, a `JSONValue` among it; nil leaves it out.
  ///
  /// The keys of what is returned are taken as they are, so whoever implements this hands `keyTransformer` on.
  func customSerialized(transformingKeys keyTransformer: KeyTransformer?) -> Any?
}

extension Serializable {
  /// The value as JSON; nil when there is nothing to say (`nil`, `PropertyPolicy.none`) or when some part cannot be
  /// said in JSON: `json(transformingKeys:)` tells which.
  public func serialized(transformingKeys keyTransformer: KeyTransformer? = nil) -> JSONValue? {
    try? json(transformingKeys: keyTransformer)
  }

  /// The value as JSON; nil when there is nothing to say.
  public func json(
    transformingKeys keyTransformer: KeyTransformer? = nil,
    format: SerializationFormat = SerializationFormat()
  ) throws(SerializationError) -> JSONValue? {
    guard let bytes = try jsonBytes(transformingKeys: keyTransformer, format: format) else { return nil }
    do { return try JSONValue(parsing: bytes) } catch {
      throw SerializationError(.tooDeep(limit: JSONValue.defaultMaximumDepth))
    }
  }

  /// The value as the bytes of a JSON document; nil when there is nothing to say.
  public func jsonBytes(
    transformingKeys keyTransformer: KeyTransformer? = nil,
    format: SerializationFormat = SerializationFormat()
  ) throws(SerializationError) -> [UInt8]? {
    var run = SerializationRun(keys: keyTransformer.map { KeyMapping($0) }, format: format)
    guard try run.write(self) else { return nil }
    return run.out
  }

  /// The bytes of a JSON object or array; nil for anything else, as Kakapo has it.
  public func toData(transformingKeys keyTransformer: KeyTransformer? = nil) -> [UInt8]? {
    guard let bytes = try? jsonBytes(transformingKeys: keyTransformer) else { return nil }
    return bytes.first == UInt8(ascii: "{") || bytes.first == UInt8(ascii: "[") ? bytes : nil
  }
}
