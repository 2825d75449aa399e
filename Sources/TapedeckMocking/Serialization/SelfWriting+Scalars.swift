internal import TapedeckHTTP

extension ValueWriter {
  fileprivate static func description<Value: CustomStringConvertible & SendableMetatype>(
    of type: Value.Type
  ) -> ValueWriter {
    ValueWriter(of: type) { value, run in
      run.write(text: value.pointee.description)
      return true
    }
  }

  fileprivate static func integer<Value: FixedWidthInteger & SendableMetatype>(
    _ type: Value.Type
  ) -> ValueWriter {
    ValueWriter(of: type) { value, run in
      run.write(integer: value.pointee)
      return true
    }
  }
}

extension String: Serializable, SelfWriting {
  static var writer: ValueWriter {
    ValueWriter(of: String.self) { value, run in
      run.write(text: value.pointee)
      return true
    }
  }
}

extension Bool: Serializable, SelfWriting {
  static var writer: ValueWriter {
    ValueWriter(of: Bool.self) { value, run in
      run.write(literal: value.pointee ? "true" : "false")
      return true
    }
  }
}

extension Double: Serializable, SelfWriting {
  static var writer: ValueWriter {
    ValueWriter(of: Double.self) { value, run throws(SerializationError) in
      try run.write(number: value.pointee)
      return true
    }
  }
}

extension Float: Serializable, SelfWriting {
  /// In the digits of the float, not of the double that it is.
  static var writer: ValueWriter {
    ValueWriter(of: Float.self) { value, run throws(SerializationError) in
      try run.write(number: Double(value.pointee.description) ?? .nan)
      return true
    }
  }
}

extension Substring: Serializable, SelfWriting {
  static var writer: ValueWriter { .description(of: Self.self) }
}
extension Character: Serializable, SelfWriting {
  static var writer: ValueWriter { .description(of: Self.self) }
}
extension Int: Serializable, SelfWriting { static var writer: ValueWriter { .integer(Self.self) } }
extension Int8: Serializable, SelfWriting { static var writer: ValueWriter { .integer(Self.self) } }
extension Int16: Serializable, SelfWriting { static var writer: ValueWriter { .integer(Self.self) } }
extension Int32: Serializable, SelfWriting { static var writer: ValueWriter { .integer(Self.self) } }
extension Int64: Serializable, SelfWriting { static var writer: ValueWriter { .integer(Self.self) } }
extension UInt: Serializable, SelfWriting { static var writer: ValueWriter { .integer(Self.self) } }
extension UInt8: Serializable, SelfWriting { static var writer: ValueWriter { .integer(Self.self) } }
extension UInt16: Serializable, SelfWriting { static var writer: ValueWriter { .integer(Self.self) } }
extension UInt32: Serializable, SelfWriting { static var writer: ValueWriter { .integer(Self.self) } }
extension UInt64: Serializable, SelfWriting { static var writer: ValueWriter { .integer(Self.self) } }

extension JSONValue: Serializable, Writable {
  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    let value = run.keys.map { transformingKeys($0.transform) } ?? self
    value.write(.compact, to: &run.out)
    return true
  }

  /// The value with the names of all members transformed, at any depth.
  func transformingKeys(_ transform: KeyTransformer) -> JSONValue {
    switch self {
    case .null, .bool, .number, .string: self
    case .array(let items): .array(items.map { $0.transformingKeys(transform) })
    case .object(let members):
      .object(
        members.map { member in
          JSONMember(JSONString(transform(member.name.text)), member.value.transformingKeys(transform))
        })
    }
  }
}
