import TapedeckHTTP

/// JSON for comparing: no white space, members in the order of their names' bytes, strings by what they mean, numbers
/// as they are written. Members of one name keep their order, since readers differ in which they take.
enum CanonicalJSON {
  static func bytes(_ value: JSONValue) -> [UInt8] {
    var out: [UInt8] = []
    append(value, to: &out)
    return out
  }

  private static func append(_ value: JSONValue, to out: inout [UInt8]) {
    switch value {
    case .null: out += "null".utf8
    case .bool(let value): out += (value ? "true" : "false").utf8
    case .number(let number): out += number.raw
    case .string(let string): append(string.decodedBytes, to: &out)
    case .array(let items):
      out.append(UInt8(ascii: "["))
      for item in items {
        append(item, to: &out)
        out.append(UInt8(ascii: ","))
      }
      out.append(UInt8(ascii: "]"))
    case .object(let members):
      out.append(UInt8(ascii: "{"))
      for (name, value) in sorted(members) {
        append(name, to: &out)
        append(value, to: &out)
        out.append(UInt8(ascii: ","))
      }
      out.append(UInt8(ascii: "}"))
    }
  }

  /// A quote and the length keep a string apart from whatever follows.
  private static func append(_ string: [UInt8], to out: inout [UInt8]) {
    out += "\"\(string.count):".utf8
    out += string
  }

  /// The members with decoded names, in the order of those.
  static func sorted(_ members: [JSONMember]) -> [(name: [UInt8], value: JSONValue)] {
    members.enumerated().map {
      (offset: $0.offset, name: $0.element.name.decodedBytes, value: $0.element.value)
    }
    .sorted {
      $0.name == $1.name ? $0.offset < $1.offset : $0.name.lexicographicallyPrecedes($1.name)
    }
    .map { ($0.name, $0.value) }
  }
}
