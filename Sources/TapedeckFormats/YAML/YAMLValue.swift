import TapedeckHTTP

/// A YAML document. The meaning of a scalar is decided where it is used.
enum YAMLValue: Sendable, Equatable {
  case null
  /// A scalar without quotes: a word, a number, `true`.
  case plain([UInt8])
  /// Text in quotes or in a block; UTF-8.
  case text([UInt8])
  /// Bytes that were base64, under the tag `!!binary`.
  case binary([UInt8])
  case list([YAMLValue])
  case map([YAMLMember])
}

struct YAMLMember: Sendable, Equatable {
  var name: [UInt8]
  var value: YAMLValue
}

extension YAMLValue {
  /// The member of a map.
  subscript(name: StaticString) -> YAMLValue? {
    guard case .map(let members) = self else { return nil }
    let bytes = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    return members.first { $0.name.elementsEqual(bytes) }?.value
  }

  var list: [YAMLValue]? {
    guard case .list(let items) = self else { return nil }
    return items
  }

  var members: [YAMLMember]? {
    guard case .map(let members) = self else { return nil }
    return members
  }

  /// The bytes of any scalar but null.
  var bytes: [UInt8]? {
    switch self {
    case .plain(let bytes), .text(let bytes), .binary(let bytes): bytes
    case .null, .list, .map: nil
    }
  }

  var string: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

  /// A whole number, quoted or not.
  var int: Int? { string.flatMap { Int($0) } }

  var isNull: Bool { self == .null }

  /// A JSON document, which some of these tools write instead.
  init(_ json: JSONValue) {
    switch json {
    case .null: self = .null
    case .bool(let value): self = .plain(Array((value ? "true" : "false").utf8))
    case .number(let number): self = .plain(Array(number.raw))
    case .string(let string): self = .text(string.utf8 ?? Array(string.text.utf8))
    case .array(let items): self = .list(items.map { YAMLValue($0) })
    case .object(let members):
      self = .map(members.map { YAMLMember(name: Array($0.name.text.utf8), value: YAMLValue($0.value)) })
    }
  }
}
