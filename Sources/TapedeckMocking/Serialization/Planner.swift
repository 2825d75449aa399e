internal import TapedeckHTTP

/// Chooses the writer of a type.
enum Planner {
  static func writer<T>(of type: T.Type) -> ValueWriter {
    if let type = type as? any SelfWriting.Type { return type.writer }
    switch TypeKind(of: type) {
    case .structure, .enumeration: return valueWriter(of: type, isObject: false)
    case .class: return objectWriter(of: type, exact: valueWriter(of: type, isObject: true))
    case .existential: return existentialWriter(of: type)
    case .tuple: return tupleWriter(of: type)
    case .other: return unsupported(type)
    }
  }

  private static func valueWriter<T>(of type: T.Type, isObject: Bool) -> ValueWriter {
    if let type = type as? any CustomSerializable.Type { return custom(type) }
    if let writer = FoundationTypes.writer(of: type) { return writer }
    if !isObject, let type = type as? any (RawRepresentable & SendableMetatype).Type { return raw(type) }
    if type is any Serializable.Type {
      guard !isObject, let plan = StructurePlan(of: type) else { return .mirror(of: type) }
      return ValueWriter(plan.write)
    }
    if let type = type as? any (Encodable & SendableMetatype).Type { return encodable(type) }
    return unsupported(type)
  }

  /// Writes the result of `customSerialized`, whose keys are not transformed again.
  private static func custom<T: CustomSerializable>(_ type: T.Type) -> ValueWriter {
    ValueWriter(of: type) { value, run throws(SerializationError) in
      guard let result = value.pointee.customSerialized(transformingKeys: run.keys?.transform) else {
        return false
      }
      let keys = run.keys
      run.keys = nil
      defer { run.keys = keys }
      return try run.nested { run throws(SerializationError) in try run.writeAny(result) }
    }
  }

  private static func raw<T: RawRepresentable & SendableMetatype>(_ type: T.Type) -> ValueWriter {
    let raw = LazyWriter<T.RawValue>()
    return ValueWriter(of: type) { value, run throws(SerializationError) in
      try raw.write(value: value.pointee.rawValue, &run)
    }
  }

  private static func encodable<T: Encodable & SendableMetatype>(_ type: T.Type) -> ValueWriter {
    ValueWriter(of: type) { value, run throws(SerializationError) in
      try EncodedJSON.of(value.pointee, run).write(.compact, to: &run.out)
      return true
    }
  }

  private static func unsupported(_ type: any Any.Type) -> ValueWriter {
    let name = String(reflecting: type)
    return ValueWriter { _, _ throws(SerializationError) in throw SerializationError(.unsupportedType(name)) }
  }

  /// Objects of a class, or of a subclass, which is written by its own plan. An object inside itself is left out.
  private static func objectWriter<T>(of type: T.Type, exact: ValueWriter) -> ValueWriter {
    ValueWriter(of: type) { object, run throws(SerializationError) in
      let value: Any = object.pointee
      let actual: any Any.Type = Swift.type(of: value)
      guard actual == T.self else { return try TypePlans.plan(ofType: actual).write(object, &run) }
      return try run.once(value as AnyObject) { run throws(SerializationError) in
        try exact.write(object, &run)
      }
    }
  }

  /// Existentials, like `Any` and `any Serializable`. Opening one does not open an existential inside it, so the value is
  /// cast to its dynamic type.
  private static func existentialWriter<T>(of type: T.Type) -> ValueWriter {
    ValueWriter(of: type) { existential, run throws(SerializationError) in
      let value: Any = existential.pointee
      func opened<Value>(_ type: Value.Type) -> Result<Bool, SerializationError> {
        guard let value = value as? Value else {
          return .failure(SerializationError(.unsupportedType(String(reflecting: type))))
        }
        return run.written(value)
      }
      return try _openExistential(Swift.type(of: value), do: opened).get()
    }
  }

  /// An object when every element has a name, an array when not.
  private static func tupleWriter<T>(of type: T.Type) -> ValueWriter {
    ValueWriter(of: type) { tuple, run throws(SerializationError) in
      let children = Array(Mirror(reflecting: tuple.pointee).children)
      if children.allSatisfy({ $0.label?.hasPrefix(".") == false }) {
        try run.writeObject(children.map { Property(name: $0.label ?? "", value: $0.value) })
      } else {
        try run.writeArray(children.map(\.value))
      }
      return true
    }
  }
}
