@_spi(Reflection) internal import Swift
internal import Synchronization

struct ValueWriter: Sendable {
  typealias Body<Value> = @Sendable (Value, inout SerializationRun) throws(SerializationError) -> Bool

  /// - Returns: false if the value is left out.
  let write: Body<UnsafeRawPointer>

  init(_ write: @escaping Body<UnsafeRawPointer>) { self.write = write }

  init<Value>(of type: Value.Type, _ write: @escaping Body<UnsafePointer<Value>>) {
    self.write = { pointer, run throws(SerializationError) in
      try write(pointer.assumingMemoryBound(to: Value.self), &run)
    }
  }
}

protocol SelfWriting {
  static var writer: ValueWriter { get }
}

/// A type whose values write themselves.
protocol Writable: SelfWriting, SendableMetatype {
  /// - Returns: false if the value is left out.
  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool
}

extension Writable {
  static var writer: ValueWriter {
    ValueWriter(of: Self.self) { value, run throws(SerializationError) in try value.pointee.write(to: &run) }
  }
}

// MARK: - Choosing the writer of a type

extension ValueWriter {
  init<T>(planning type: T.Type) {
    if let type = type as? any SelfWriting.Type {
      self = type.writer
      return
    }
    self =
      switch metadataKind(of: type) {
      case .struct, .enum, .optional: .value(of: type, isObject: false)
      case .class, .objcClassWrapper, .foreignClass:
        .object(of: type, exact: .value(of: type, isObject: true))
      case .existential: .existential(type)
      case .tuple: .tuple(type)
      default: .unsupported(type)
      }
  }

  private static func value<T>(of type: T.Type, isObject: Bool) -> ValueWriter {
    if let type = type as? any CustomSerializable.Type { return custom(type) }
    if let writer = FoundationType.writer(of: type) { return writer }
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
      try JSONValue(encoding: value.pointee, in: run).write(.compact, to: &run.out)
      return true
    }
  }

  private static func unsupported(_ type: any Any.Type) -> ValueWriter {
    let name = String(reflecting: type)
    return ValueWriter { _, _ throws(SerializationError) in throw SerializationError(.unsupportedType(name)) }
  }

  /// Writes objects of a class; a subclass uses its own plan. An object inside itself is left out.
  private static func object<T>(of type: T.Type, exact: ValueWriter) -> ValueWriter {
    ValueWriter(of: type) { object, run throws(SerializationError) in
      let value: Any = object.pointee
      let actual: any Any.Type = Swift.type(of: value)
      guard actual == T.self else { return try TypePlan.of(actual).writer.write(object, &run) }
      return try run.once(value as AnyObject) { run throws(SerializationError) in
        try exact.write(object, &run)
      }
    }
  }

  /// Casts existentials to their dynamic type, because opening one does not open an existential inside it.
  private static func existential<T>(_ type: T.Type) -> ValueWriter {
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

  /// Writes an object if every element has a name, else an array.
  private static func tuple<T>(_ type: T.Type) -> ValueWriter {
    ValueWriter(of: type) { tuple, run throws(SerializationError) in
      let children = Array(Mirror(reflecting: tuple.pointee).children)
      if children.allSatisfy({ $0.label?.hasPrefix(".") == false }) {
        return try run.write(object: children.map { ($0.label ?? "", $0.value) })
      }
      return try run.write(array: children.map(\.value))
    }
  }

  /// Writes values as `Mirror` shows them: slower than a plan, but correct for every type.
  private static func mirror<T>(of type: T.Type) -> ValueWriter {
    ValueWriter(of: type) { value, run throws(SerializationError) in
      let mirror = Mirror(reflecting: value.pointee)
      if mirror.displayStyle != .enum { return try run.write(object: properties(of: mirror)) }
      if let payload = mirror.children.first, let name = payload.label {
        return try run.write(object: [(name, payload.value)])
      }
      return run.write(text: "\(value.pointee)")
    }
  }
}

/// The kind of a type. The standard library reports it only for the fields of a struct, so a probe is used.
func metadataKind<T>(of type: T.Type) -> _MetadataKind {
  var kind = _MetadataKind.unknown
  _ = _forEachField(of: Probe<T>.self) { _, _, _, field in
    kind = field
    return true
  }
  return kind
}

private struct Probe<T> { let value: T }

// MARK: - Plans

/// The writer of a type and its meaning for a response, computed once per type.
final class TypePlan: Sendable {
  let writer: ValueWriter
  let responseRole: ResponseRole

  private static let known = Mutex<[ObjectIdentifier: TypePlan]>([:])

  private init<T>(_ type: T.Type) {
    writer = ValueWriter(planning: type)
    responseRole = ResponseRole(ofType: type)
  }

  static func of(_ type: any Any.Type) -> TypePlan {
    func opened<T>(_ type: T.Type) -> TypePlan { make(type) }
    return _openExistential(type, do: opened)
  }

  static func make<T>(_ type: T.Type) -> TypePlan { known.once(ObjectIdentifier(type)) { TypePlan(type) } }
}

extension Mutex {
  /// The value of a key, made on first use. It is made outside the lock, because that may need other values;
  /// if two are made at once, the first one stays.
  func once<Key: Hashable & Sendable, Found: Sendable>(_ key: Key, _ make: () -> Found) -> Found
  where Value == [Key: Found] {
    if let found = withLock({ $0[key] }) { return found }
    let made = make()
    return withLock { known in
      if let earlier = known[key] { return earlier }
      known[key] = made
      return made
    }
  }
}

/// The plan of a type, made with the first value, so that a type may contain itself.
final class LazyWriter<T>: Sendable {
  private let plan = AtomicLazyReference<TypePlan>()

  func write(_ pointer: UnsafeRawPointer, _ run: inout SerializationRun) throws(SerializationError) -> Bool {
    try (plan.load() ?? plan.storeIfNil(TypePlan.make(T.self))).writer.write(pointer, &run)
  }

  func write(value: borrowing T, _ run: inout SerializationRun) throws(SerializationError) -> Bool {
    try withUnsafePointer(to: value) { pointer throws(SerializationError) in
      try write(UnsafeRawPointer(pointer), &run)
    }
  }
}
