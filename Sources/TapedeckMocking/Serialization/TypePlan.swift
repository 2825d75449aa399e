@_spi(Reflection) internal import Swift
internal import Synchronization

/// How values of one type are written, and what they mean for a response. Found out once a type.
final class TypePlan: Sendable {
  private let writer: ValueWriter
  let responseRole: ResponseRole

  init<T>(_ writer: ValueWriter, of type: T.Type) {
    self.writer = writer
    responseRole = ResponseRole(ofType: type)
  }

  func write(_ pointer: UnsafeRawPointer, _ run: inout SerializationRun) throws(SerializationError) -> Bool {
    try writer.write(pointer, &run)
  }
}

/// The plans of all types that were ever written.
enum TypePlans {
  static func plan(ofType type: any Any.Type) -> TypePlan {
    func opened<T>(_ type: T.Type) -> TypePlan { plan(of: type) }
    return _openExistential(type, do: opened)
  }

  private static let known = Mutex<[ObjectIdentifier: TypePlan]>([:])

  static func plan<T>(of type: T.Type) -> TypePlan {
    let key = ObjectIdentifier(type)
    if let plan = known.withLock({ $0[key] }) { return plan }
    // Made outside the lock, because a plan may need others; of two made at once, the first stays.
    let plan = TypePlan(Planner.writer(of: type), of: type)
    return known.withLock { known in
      if let earlier = known[key] { return earlier }
      known[key] = plan
      return plan
    }
  }
}

/// The plan of a type, made with the first value, so that a type may contain itself.
struct LazyWriter<T>: Sendable {
  private final class Slot: Sendable {
    let plan = AtomicLazyReference<TypePlan>()
  }

  private let slot = Slot()

  func write(_ pointer: UnsafeRawPointer, _ run: inout SerializationRun) throws(SerializationError) -> Bool {
    let plan = slot.plan.load() ?? slot.plan.storeIfNil(TypePlans.plan(of: T.self))
    return try plan.write(pointer, &run)
  }

  func write(value: borrowing T, _ run: inout SerializationRun) throws(SerializationError) -> Bool {
    try withUnsafePointer(to: value) { pointer throws(SerializationError) in
      try write(UnsafeRawPointer(pointer), &run)
    }
  }
}

/// The kind of a type. The standard library tells it only for the fields of a structure, so a probe has such a field.
enum TypeKind {
  case structure, enumeration, `class`, existential, tuple, other

  private struct Probe<T> { let value: T }

  init<T>(of type: T.Type) {
    var kind: TypeKind = .other
    _ = _forEachField(of: Probe<T>.self) { _, _, _, field in
      switch field {
      case .struct: kind = .structure
      case .enum, .optional: kind = .enumeration
      case .class, .objcClassWrapper, .foreignClass: kind = .class
      case .existential: kind = .existential
      case .tuple: kind = .tuple
      default: kind = .other
      }
      return true
    }
    self = kind
  }
}
