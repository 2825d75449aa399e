internal import TapedeckHTTP

/// Chooses the writer of a type.
enum Planner {
  static func writer<T>(of type: T.Type) -> any ValueWriter {
    if let type = type as? any SelfWriting.Type { return type.writer }
    switch TypeKind(of: type) {
    case .structure, .enumeration: return valueWriter(of: type)
    case .class: return ObjectWriter<T>(exact: objectWriter(of: type))
    case .existential: return BoxWriter<T>()
    case .tuple: return TupleWriter<T>()
    case .other: return UnsupportedWriter(of: type)
    }
  }

  private static func valueWriter<T>(of type: T.Type) -> any ValueWriter {
    if let type = type as? any CustomSerializable.Type { return custom(type) }
    if let writer = FoundationTypes.writer(of: type) { return writer }
    if let type = type as? any (RawRepresentable & SendableMetatype).Type { return raw(type) }
    if type is any Serializable.Type { return StructurePlan(of: type).map { $0 } ?? MirrorWriter<T>() }
    if let type = type as? any (Encodable & SendableMetatype).Type { return encodable(type) }
    return UnsupportedWriter(of: type)
  }

  /// For objects of exactly this class.
  private static func objectWriter<T>(of type: T.Type) -> any ValueWriter {
    if let type = type as? any CustomSerializable.Type { return custom(type) }
    if let writer = FoundationTypes.writer(of: type) { return writer }
    if type is any Serializable.Type { return MirrorWriter<T>() }
    if let type = type as? any (Encodable & SendableMetatype).Type { return encodable(type) }
    return UnsupportedWriter(of: type)
  }

  private static func custom<T: CustomSerializable>(_: T.Type) -> any ValueWriter { CustomWriter<T>() }

  private static func raw<T: RawRepresentable & SendableMetatype>(_: T.Type) -> any ValueWriter {
    RawWriter<T>()
  }

  private static func encodable<T: Encodable & SendableMetatype>(_: T.Type) -> any ValueWriter {
    EncodableWriter<T>()
  }
}

/// Writes the result of `customSerialized`, whose keys are not transformed again.
private struct CustomWriter<Value: CustomSerializable>: TypedWriter {
  func write(value: borrowing Value, _ run: inout SerializationRun) throws(SerializationError) -> Bool {
    guard let result = value.customSerialized(transformingKeys: run.keys?.transform) else { return false }
    let keys = run.keys
    run.keys = nil
    defer { run.keys = keys }
    return try run.nested { run throws(SerializationError) in try run.writeAny(result) }
  }
}

private struct RawWriter<Value: RawRepresentable & SendableMetatype>: TypedWriter {
  private let raw = LazyWriter<Value.RawValue>()

  func write(value: borrowing Value, _ run: inout SerializationRun) throws(SerializationError) -> Bool {
    try raw.write(value: value.rawValue, &run)
  }
}

private struct EncodableWriter<Value: Encodable & SendableMetatype>: TypedWriter {
  func write(value: borrowing Value, _ run: inout SerializationRun) throws(SerializationError) -> Bool {
    try EncodedJSON.of(copy value, run).write(.compact, to: &run.out)
    return true
  }
}

private struct UnsupportedWriter: ValueWriter {
  let name: String

  init(of type: any Any.Type) { name = String(reflecting: type) }

  func write(_ pointer: UnsafeRawPointer, _ run: inout SerializationRun) throws(SerializationError) -> Bool {
    throw SerializationError(.unsupportedType(name))
  }
}

/// Objects of a class, or of a subclass, which is written by its own plan. An object inside itself is left out.
private struct ObjectWriter<T>: ValueWriter {
  let exact: any ValueWriter

  func write(_ pointer: UnsafeRawPointer, _ run: inout SerializationRun) throws(SerializationError) -> Bool {
    let value: Any = pointer.assumingMemoryBound(to: T.self).pointee
    let actual: any Any.Type = type(of: value)
    guard actual == T.self else {
      return try TypePlans.plan(ofType: actual).write(pointer, &run)
    }
    return try run.once(value as AnyObject) { run throws(SerializationError) in try exact.write(pointer, &run)
    }
  }
}

/// Existentials, like `Any` and `any Serializable`. Opening one does not open an existential inside it, so the value is
/// cast to its dynamic type.
private struct BoxWriter<T>: ValueWriter {
  func write(_ pointer: UnsafeRawPointer, _ run: inout SerializationRun) throws(SerializationError) -> Bool {
    let value: Any = pointer.assumingMemoryBound(to: T.self).pointee
    func opened<Value>(_ type: Value.Type) -> Result<Bool, SerializationError> {
      guard let value = value as? Value else {
        return .failure(SerializationError(.unsupportedType(String(reflecting: type))))
      }
      return run.written(value)
    }
    return try _openExistential(type(of: value), do: opened).get()
  }
}

/// An object when every element has a name, an array when not.
private struct TupleWriter<T>: ValueWriter {
  func write(_ pointer: UnsafeRawPointer, _ run: inout SerializationRun) throws(SerializationError) -> Bool {
    let children = Array(Mirror(reflecting: pointer.assumingMemoryBound(to: T.self).pointee).children)
    if children.allSatisfy({ $0.label?.hasPrefix(".") == false }) {
      try run.writeObject(children.map { Property(name: $0.label ?? "", value: $0.value) })
    } else {
      try run.writeArray(children.map(\.value))
    }
    return true
  }
}
