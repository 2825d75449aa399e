/// JSON as it was written: numbers and strings keep their bytes, objects their order and their duplicates.
///
/// What a parsed document holds are slices into its bytes, so reading allocates per container, not per value. Two
/// values are equal when they are written the same way: `1.0` is not `1`, and `"\u0041"` is not `"A"`.
public enum JSONValue: Sendable, Equatable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number, as it is written.
  case number(JSONNumber)
  /// A string, as it is written.
  case string(JSONString)
  /// An array.
  case array([JSONValue])
  /// An object, with its members in order.
  case object([JSONMember])
}

extension JSONValue {
  /// How deeply containers may nest where nobody says otherwise.
  public static let defaultMaximumDepth = 512

  /// Reads one RFC 8259 document and nothing beside it.
  public init(parsing bytes: [UInt8], maximumDepth: Int = defaultMaximumDepth) throws(JSONError) {
    self = try bytes.withRawBytes { buffer throws(JSONError) in
      var reader = JSONReader(source: bytes, bytes: buffer, maximumDepth: maximumDepth)
      return try reader.document()
    }
  }

  /// The decoded text of a string; lone surrogates become U+FFFD.
  public var text: String? {
    guard case .string(let string) = self else { return nil }
    return string.text
  }

  /// The value of a number that is written as a plain integer and fits.
  public var int: Int? {
    guard case .number(let number) = self else { return nil }
    return number.int
  }

  /// The nearest double of a number.
  public var double: Double? {
    guard case .number(let number) = self else { return nil }
    return number.double
  }

  /// The value of a boolean; `nil` for anything else.
  public var bool: Bool? {
    guard case .bool(let value) = self else { return nil }
    return value
  }

  /// The elements of an array; `nil` for anything else.
  public var array: [JSONValue]? {
    guard case .array(let items) = self else { return nil }
    return items
  }

  /// The members of an object, as written.
  public var members: [JSONMember]? {
    guard case .object(let members) = self else { return nil }
    return members
  }

  /// Whether the value is `null`.
  public var isNull: Bool { self == .null }

  /// The member of an object with this decoded name; of several, the last.
  public subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.last { $0.name.isEqual(to: name.utf8) }?.value
  }

  public subscript(index: Int) -> JSONValue? {
    guard case .array(let items) = self, items.indices.contains(index) else { return nil }
    return items[index]
  }
}

/// A member of an object.
public struct JSONMember: Sendable, Equatable {
  /// The name.
  public var name: JSONString
  /// The value.
  public var value: JSONValue

  /// Creates a member.
  public init(_ name: JSONString, _ value: JSONValue) {
    self.name = name
    self.value = value
  }
}
