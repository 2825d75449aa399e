package import TapedeckHTTP

/// An object literal that a handler may return, `["id": 2, "name": "Kakapo"]`; its members stay in order.
public struct JSONObject: ExpressibleByDictionaryLiteral {
  /// The members in order; those whose value is `nil` are left out.
  public var members: [(name: String, value: (any Serializable)?)]

  /// Creates an object from its members.
  public init(_ members: [(name: String, value: (any Serializable)?)] = []) { self.members = members }

  public init(dictionaryLiteral members: (String, (any Serializable)?)...) {
    self.members = members.map { ($0, $1) }
  }
}

extension JSONObject: Serializable, Writable {
  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    try run.object { run throws(SerializationError) in
      for case (let name, let value?) in members {
        let written = SerializationRun.memberName(run.keys?.transform(name) ?? name)
        try run.member(written, step: name) { run throws(SerializationError) in try run.writeAny(value) }
      }
    }
  }
}

struct EncodedValue<Value: Encodable & SendableMetatype>: Serializable {
  let value: Value

  init(_ value: Value) { self.value = value }
}

extension EncodedValue: Sendable where Value: Sendable {}

extension EncodedValue: Writable {
  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool { try run.write(value) }
}

extension JSONValue {
  package init(encoding value: some Encodable) throws(SerializationError) {
    try self.init(encoding: value, in: SerializationRun())
  }

  init(encoding value: some Encodable, in run: SerializationRun) throws(SerializationError) {
    let encoder = ValueEncoder(keys: run.keys, format: run.format, depth: run.depth)
    do { try encoder.encode(value) } catch {
      throw error as? SerializationError ?? SerializationError(.failedEncoding("\(error)"))
    }
    self = encoder.node.json
  }
}
