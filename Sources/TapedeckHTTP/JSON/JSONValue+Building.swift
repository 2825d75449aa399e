extension JSONValue {
  /// A string with this text.
  public init(_ text: String) { self = .string(JSONString(text)) }

  /// Creates a number.
  public init(_ number: Int) { self = .number(JSONNumber(number)) }

  /// A number; null when it is not finite, as JavaScript has it.
  public init(_ number: Double) { self = JSONNumber(number).map { .number($0) } ?? .null }

  /// Creates a boolean.
  public init(_ value: Bool) { self = .bool(value) }
}

extension JSONValue: CustomStringConvertible {
  /// The value as compact JSON.
  public var description: String { String(decoding: bytes(), as: UTF8.self) }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByNilLiteral,
  ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(stringLiteral text: String) { self.init(text) }

  public init(integerLiteral number: Int) { self.init(number) }

  public init(floatLiteral number: Double) { self.init(number) }

  public init(booleanLiteral value: Bool) { self = .bool(value) }

  public init(nilLiteral: ()) { self = .null }

  public init(arrayLiteral items: JSONValue...) { self = .array(items) }

  /// An object with its members in the order they are given.
  public init(dictionaryLiteral members: (JSONString, JSONValue)...) {
    self = .object(members.map { JSONMember($0, $1) })
  }
}
