package import TapedeckHTTP

/// An object literal, `["id": 2, "name": "Kakapo"]`, that keeps its members in order.
///
/// A handler may return such a literal; its values are anything serializable.
public struct JSONObject: ExpressibleByDictionaryLiteral {
  /// The members in order; one whose value is `nil` is left out.
  public var members: [(name: String, value: (any Serializable)?)]

  /// Creates an object from its members.
  public init(_ members: [(name: String, value: (any Serializable)?)] = []) { self.members = members }

  /// Creates an object from a literal.
  public init(dictionaryLiteral members: (String, (any Serializable)?)...) {
    self.members = members.map { ($0, $1) }
  }
}

extension JSONObject: Serializable, Writable {
  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    try run.nested { run throws(SerializationError) in
      run.out.append(UInt8(ascii: "{"))
      for member in members {
        let name = run.keys?.transform(member.name) ?? member.name
        try run.member(SerializationRun.memberName(name), step: member.name) {
          run throws(SerializationError) in
          guard let value = member.value else { return false }
          return try run.writeAny(value)
        }
      }
      run.out.append(UInt8(ascii: "}"))
    }
    return true
  }
}

// MARK: - Encodable values

/// An `Encodable` value as a serializable one.
struct EncodedValue<Value: Encodable & SendableMetatype>: Serializable {
  let value: Value

  init(_ value: Value) { self.value = value }
}

extension EncodedValue: Sendable where Value: Sendable {}

extension EncodedValue: Writable {
  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool { try run.write(value) }
}

/// The JSON that `Encodable` values encode.
package enum EncodedJSON {
  package static func of(_ value: some Encodable) throws(SerializationError) -> JSONValue {
    try of(value, SerializationRun())
  }

  static func of(_ value: some Encodable, _ run: SerializationRun) throws(SerializationError) -> JSONValue {
    let encoder = ValueEncoder(keys: run.keys, format: run.format, depth: run.depth)
    do { try encoder.encode(value) } catch {
      throw error as? SerializationError ?? SerializationError(.failedEncoding("\(error)"))
    }
    return encoder.node.json
  }
}
