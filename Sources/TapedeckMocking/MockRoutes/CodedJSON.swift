internal import TapedeckHTTP

/// JSON by way of a coder.
struct CodedJSON: Codable {
  let value: JSONValue

  init(value: JSONValue) { self.value = value }

  struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  static func orThrow(_ decoder: any Decoder) throws(MockRouteError) -> JSONValue {
    do { return try CodedJSON(from: decoder).value } catch {
      throw .badJSON(place: "the route", problem: "cannot be read: \(error)")
    }
  }

  init(from decoder: any Decoder) throws {
    if let object = try? decoder.container(keyedBy: Name.self) {
      value = .object(
        try object.allKeys.map { name in
          JSONMember(JSONString(name.stringValue), try object.decode(CodedJSON.self, forKey: name).value)
        })
    } else if var array = try? decoder.unkeyedContainer() {
      var items: [JSONValue] = []
      while !array.isAtEnd { items.append(try array.decode(CodedJSON.self).value) }
      value = .array(items)
    } else {
      value = try Self.scalar(try decoder.singleValueContainer())
    }
  }

  private static func scalar(_ container: any SingleValueDecodingContainer) throws -> JSONValue {
    if container.decodeNil() { return .null }
    if let bool = try? container.decode(Bool.self) { return .bool(bool) }
    if let int = try? container.decode(Int.self) { return JSONValue(int) }
    if let double = try? container.decode(Double.self) { return JSONValue(double) }
    return JSONValue(try container.decode(String.self))
  }

  func encode(to encoder: any Encoder) throws {
    switch value {
    case .object(let members):
      var object = encoder.container(keyedBy: Name.self)
      for member in members {
        try object.encode(CodedJSON(value: member.value), forKey: Name(stringValue: member.name.text))
      }
    case .array(let items):
      var array = encoder.unkeyedContainer()
      for item in items { try array.encode(CodedJSON(value: item)) }
    default:
      var container = encoder.singleValueContainer()
      if value.isNull { return try container.encodeNil() }
      if case .bool(let bool) = value { return try container.encode(bool) }
      if let int = value.int { return try container.encode(int) }
      if let double = value.double { return try container.encode(double) }
      try container.encode(value.text ?? "")
    }
  }
}
