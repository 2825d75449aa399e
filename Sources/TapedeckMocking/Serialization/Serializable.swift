public import TapedeckHTTP

/// A type whose values can be written as JSON.
///
/// Conforming is all it takes: the stored properties are reflected, including inherited ones. Values become:
///
/// | value | JSON |
/// |---|---|
/// | struct, class | an object of its stored properties, in the order of declaration |
/// | `Optional` | the value; nil leaves the member out |
/// | `Array`, `Set` | an array without its nil elements; a set in the order of its elements' JSON |
/// | `Dictionary` | an object, its members in the order of their names; nil values are left out |
/// | enum with raw values | the raw value |
/// | enum without | a case without payload is its name; with payload `{"name": payload}` |
/// | `CustomSerializable` | the result of `customSerialized` |
/// | `Encodable`, and not `Serializable` | its encoding |
///
/// An object inside itself is left out, so cyclic graphs end.
public protocol Serializable: SendableMetatype {}

/// A function from property names and dictionary keys to JSON member names. It is called once for each property of a
/// type, so it must return the same result for the same name.
public typealias KeyTransformer = (_ key: String) -> String

/// A type that decides itself what its values become in JSON.
public protocol CustomSerializable: Serializable {
  /// The value to write in place of this one: anything serializable, or a `JSONValue`; `nil` leaves it out.
  ///
  /// The keys of the result are not transformed again, so an implementation passes `keyTransformer` on.
  func customSerialized(transformingKeys keyTransformer: KeyTransformer?) -> Any?
}

extension Serializable {
  /// The value as JSON; `nil` when it is left out (`nil`, `PropertyPolicy.none`), or when a part of it cannot be written:
  /// `json(transformingKeys:format:)` throws the reason.
  public func serialized(transformingKeys keyTransformer: KeyTransformer? = nil) -> JSONValue? {
    try? json(transformingKeys: keyTransformer)
  }

  /// The value as JSON; `nil` when it is left out.
  public func json(
    transformingKeys keyTransformer: KeyTransformer? = nil,
    format: SerializationFormat = SerializationFormat()
  ) throws(SerializationError) -> JSONValue? {
    guard let bytes = try jsonBytes(transformingKeys: keyTransformer, format: format) else { return nil }
    do { return try JSONValue(parsing: bytes) } catch {
      throw SerializationError(.tooDeep(limit: JSONValue.defaultMaximumDepth))
    }
  }

  /// The value as the bytes of a JSON document; `nil` when it is left out.
  public func jsonBytes(
    transformingKeys keyTransformer: KeyTransformer? = nil,
    format: SerializationFormat = SerializationFormat()
  ) throws(SerializationError) -> [UInt8]? {
    var run = SerializationRun(keys: keyTransformer.map { KeyMapping($0) }, format: format)
    guard try run.write(self) else { return nil }
    return run.out
  }

  /// The bytes of a JSON object or array; `nil` for anything else, as in Kakapo.
  public func toData(transformingKeys keyTransformer: KeyTransformer? = nil) -> [UInt8]? {
    guard let bytes = try? jsonBytes(transformingKeys: keyTransformer) else { return nil }
    return bytes.first == UInt8(ascii: "{") || bytes.first == UInt8(ascii: "[") ? bytes : nil
  }
}
