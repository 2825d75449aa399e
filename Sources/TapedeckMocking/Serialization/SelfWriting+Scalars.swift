internal import TapedeckHTTP

private struct TextWriter: TypedWriter {
  func write(value: borrowing String, _ run: inout SerializationRun) throws(SerializationError) -> Bool {
    run.write(text: copy value)
    return true
  }
}

private struct TextualWriter<Value: CustomStringConvertible & SendableMetatype>: TypedWriter {
  func write(value: borrowing Value, _ run: inout SerializationRun) throws(SerializationError) -> Bool {
    run.write(text: value.description)
    return true
  }
}

private struct BoolWriter: TypedWriter {
  func write(value: borrowing Bool, _ run: inout SerializationRun) throws(SerializationError) -> Bool {
    run.write(literal: copy value ? "true" : "false")
    return true
  }
}

private struct IntegerWriter<Value: FixedWidthInteger>: TypedWriter {
  func write(value: borrowing Value, _ run: inout SerializationRun) throws(SerializationError) -> Bool {
    run.write(integer: copy value)
    return true
  }
}

private struct NumberWriter: TypedWriter {
  func write(value: borrowing Double, _ run: inout SerializationRun) throws(SerializationError) -> Bool {
    try run.write(number: copy value)
    return true
  }
}

/// As the float is written, not as the double that it is.
private struct FloatWriter: TypedWriter {
  func write(value: borrowing Float, _ run: inout SerializationRun) throws(SerializationError) -> Bool {
    try run.write(number: Double(value.description) ?? .nan)
    return true
  }
}

extension String: Serializable, SelfWriting { static var writer: any ValueWriter { TextWriter() } }
extension Substring: Serializable, SelfWriting {
  static var writer: any ValueWriter { TextualWriter<Self>() }
}
extension Character: Serializable, SelfWriting {
  static var writer: any ValueWriter { TextualWriter<Self>() }
}
extension Bool: Serializable, SelfWriting { static var writer: any ValueWriter { BoolWriter() } }
extension Double: Serializable, SelfWriting { static var writer: any ValueWriter { NumberWriter() } }
extension Float: Serializable, SelfWriting { static var writer: any ValueWriter { FloatWriter() } }
extension Int: Serializable, SelfWriting { static var writer: any ValueWriter { IntegerWriter<Self>() } }
extension Int8: Serializable, SelfWriting { static var writer: any ValueWriter { IntegerWriter<Self>() } }
extension Int16: Serializable, SelfWriting { static var writer: any ValueWriter { IntegerWriter<Self>() } }
extension Int32: Serializable, SelfWriting { static var writer: any ValueWriter { IntegerWriter<Self>() } }
extension Int64: Serializable, SelfWriting { static var writer: any ValueWriter { IntegerWriter<Self>() } }
extension UInt: Serializable, SelfWriting { static var writer: any ValueWriter { IntegerWriter<Self>() } }
extension UInt8: Serializable, SelfWriting { static var writer: any ValueWriter { IntegerWriter<Self>() } }
extension UInt16: Serializable, SelfWriting { static var writer: any ValueWriter { IntegerWriter<Self>() } }
extension UInt32: Serializable, SelfWriting { static var writer: any ValueWriter { IntegerWriter<Self>() } }
extension UInt64: Serializable, SelfWriting { static var writer: any ValueWriter { IntegerWriter<Self>() } }

extension JSONValue: Serializable, Writable {
  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    let value = run.keys.map { transformingKeys($0.transform) } ?? self
    value.write(.compact, to: &run.out)
    return true
  }

  /// The value with the names of all members, at any depth, made new.
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
