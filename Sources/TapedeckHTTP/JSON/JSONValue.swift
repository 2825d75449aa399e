/// JSON as written: numbers and strings keep their bytes, objects their order and their duplicates.
///
/// Values are slices of the document, so reading allocates per container, not per value. Values are equal
/// when written the same way: `1.0` is not `1`, and `"\u0041"` is not `"A"`.
public enum JSONValue: Sendable, Equatable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number, as written.
  case number(JSONNumber)
  /// A string, as written.
  case string(JSONString)
  /// An array.
  case array([JSONValue])
  /// An object, with its members in order.
  case object([JSONMember])
}

extension JSONValue {
  /// The default limit on nesting.
  public static let defaultMaximumDepth = 512

  /// Reads exactly one RFC 8259 document.
  public init(parsing bytes: [UInt8], maximumDepth: Int = defaultMaximumDepth) throws(JSONError) {
    self = try bytes.withRawBytes { buffer throws(JSONError) in
      var reader = JSONReader(source: bytes, bytes: buffer, maximumDepth: maximumDepth)
      return try reader.document()
    }
  }

  /// The decoded text of a string; lone surrogates become U+FFFD.
  public var text: String? { if case .string(let string) = self { string.text } else { nil } }

  /// The value of a number written as an integer and in range.
  public var int: Int? { if case .number(let number) = self { number.int } else { nil } }

  /// The nearest double of a number.
  public var double: Double? { if case .number(let number) = self { number.double } else { nil } }

  /// The value of a boolean.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

  /// The elements of an array.
  public var array: [JSONValue]? { if case .array(let items) = self { items } else { nil } }

  /// The members of an object, in order.
  public var members: [JSONMember]? { if case .object(let members) = self { members } else { nil } }

  /// Whether the value is `null`.
  public var isNull: Bool { self == .null }

  /// The member with this decoded name; the last of duplicates.
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

extension JSONValue {
  /// Creates a string.
  public init(_ text: String) { self = .string(JSONString(text)) }

  /// Creates a number.
  public init(_ number: Int) { self = .number(JSONNumber(number)) }

  /// Creates a number; null when it is not finite, as in JavaScript.
  public init(_ number: Double) { self = JSONNumber(number).map { .number($0) } ?? .null }

  /// Creates a boolean.
  public init(_ value: Bool) { self = .bool(value) }

  /// Creates a string, or null.
  package init(_ text: String?) { self = text.map { JSONValue($0) } ?? .null }

  /// Creates a number, or null.
  package init(_ number: Int?) { self = number.map { JSONValue($0) } ?? .null }

  /// Creates an array of strings.
  package init(_ texts: [String]) { self = .array(texts.map { JSONValue($0) }) }
}

extension JSONValue: CustomStringConvertible {
  /// The value as compact JSON.
  public var description: String { String(decoding: bytes(), as: UTF8.self) }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByNilLiteral, ExpressibleByFloatLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  public init(stringLiteral text: String) { self.init(text) }

  public init(integerLiteral number: Int) { self.init(number) }

  public init(floatLiteral number: Double) { self.init(number) }

  public init(booleanLiteral value: Bool) { self = .bool(value) }

  public init(nilLiteral: ()) { self = .null }

  public init(arrayLiteral items: JSONValue...) { self = .array(items) }

  /// Creates an object, keeping the order of its members.
  public init(dictionaryLiteral members: (JSONString, JSONValue)...) {
    self = .object(members.map { JSONMember($0, $1) })
  }
}
