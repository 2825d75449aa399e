package import TapedeckHTTP

/// An `Encodable` value as something serialisable.
public struct EncodedValue<Value: Encodable & SendableMetatype>: Serializable {
  public let value: Value

  public init(_ value: Value) { self.value = value }
}

extension EncodedValue: Sendable where Value: Sendable {}

extension EncodedValue: Writable {
  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool { try run.write(value) }
}

/// What `Encodable` values encode, as JSON.
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
