public import TapedeckHTTP

/// A type whose values can be written as JSON.
///
/// Conforming is enough: the stored properties are reflected, including inherited ones. Values become:
///
/// | value | JSON |
/// |---|---|
/// | struct, class | an object of its stored properties, in the order of declaration |
/// | `Optional` | the value; `nil` leaves the member out |
/// | `Array`, `Set` | an array without its `nil` elements; a set in the order of its elements' JSON |
/// | `Dictionary` | an object, its members in the order of their names; `nil` values are left out |
/// | enum with raw values | the raw value |
/// | enum without | a case without payload is its name; with payload `{"name": payload}` |
/// | `CustomSerializable` | the result of `customSerialized` |
/// | `Encodable`, and not `Serializable` | its encoding |
///
/// An object inside itself is left out, so cyclic graphs end.
public protocol Serializable: SendableMetatype {}

/// Maps property names and dictionary keys to member names; called once for each property of a type.
public typealias KeyTransformer = (_ key: String) -> String

/// A type that chooses what its values become in JSON.
public protocol CustomSerializable: Serializable {
  /// The value to write instead: anything serializable, or a `JSONValue`; `nil` leaves it out. Its keys are
  /// not transformed again, so an implementation must pass `keyTransformer` on.
  func customSerialized(transformingKeys keyTransformer: KeyTransformer?) -> Any?
}

extension Serializable {
  /// The value as JSON; `nil` if left out or if `json(transformingKeys:format:)` would throw.
  public func serialized(transformingKeys keyTransformer: KeyTransformer? = nil) -> JSONValue? {
    try? json(transformingKeys: keyTransformer)
  }

  /// The value as JSON; `nil` if left out.
  public func json(
    transformingKeys keyTransformer: KeyTransformer? = nil,
    format: SerializationFormat = SerializationFormat()
  ) throws(SerializationError) -> JSONValue? {
    guard let bytes = try jsonBytes(transformingKeys: keyTransformer, format: format) else { return nil }
    do { return try JSONValue(parsing: bytes) } catch {
      throw SerializationError(.tooDeep(limit: JSONValue.defaultMaximumDepth))
    }
  }

  /// The value as the bytes of a JSON document; `nil` if left out.
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

/// The form of values that JSON does not define, and the style of the JSON.
public struct SerializationFormat: Sendable {
  /// The form of dates.
  public enum Dates: Sendable {
    /// `2026-01-31T12:30:00Z`, with milliseconds when there are any.
    case iso8601
    /// A number of seconds.
    case secondsSince1970
    /// A whole number of milliseconds.
    case millisecondsSince1970
    /// The result of a function of the seconds since 1970.
    case custom(@Sendable (Double) -> JSONValue)
  }

  /// The form of `Data`.
  public enum Data: Sendable {
    /// A Base64 string.
    case base64
    /// An array of numbers.
    case bytes
  }

  /// The treatment of a root that is neither an object nor an array.
  public enum Root: Sendable {
    /// Written, as in RFC 8259.
    case any
    /// Not written, as in Kakapo.
    case containers
  }

  /// The form of dates.
  public var dates: Dates
  /// The form of `Data`.
  public var data: Data
  /// The treatment of roots other than objects and arrays.
  public var root: Root
  /// The style of the JSON.
  public var style: JSONStyle

  /// Creates a format.
  public init(dates: Dates = .iso8601, data: Data = .base64, root: Root = .any, style: JSONStyle = .compact) {
    self.dates = dates
    self.data = data
    self.root = root
    self.style = style
  }
}
