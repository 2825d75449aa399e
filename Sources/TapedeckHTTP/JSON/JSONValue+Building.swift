extension JSONValue {
  /// A string with this text.
  public init(_ text: String) { self = .string(JSONString(text)) }

  public init(_ number: Int) { self = .number(JSONNumber(number)) }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(stringLiteral text: String) { self.init(text) }

  public init(integerLiteral number: Int) { self.init(number) }

  public init(booleanLiteral value: Bool) { self = .bool(value) }

  public init(nilLiteral: ()) { self = .null }

  public init(arrayLiteral items: JSONValue...) { self = .array(items) }

  /// An object with its members in the order they are given.
  public init(dictionaryLiteral members: (JSONString, JSONValue)...) {
    self = .object(members.map { JSONMember($0, $1) })
  }
}
