internal import Synchronization

/// How the values of one type are written and answered with, found out once.
final class TypePlan: Sendable {
  private let writer: any ValueWriter
  let responseRole: ResponseRole

  init<T>(_ writer: any ValueWriter, of type: T.Type) {
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
    // Made outside the lock, for a plan may ask for others; of two made at once, the first one stays.
    let plan = TypePlan(Planner.writer(of: type), of: type)
    return known.withLock { known in
      if let earlier = known[key] { return earlier }
      known[key] = plan
      return plan
    }
  }
}

/// The plan of a type that is made when the first value is there, so that types may contain themselves.
struct LazyWriter<T>: ValueWriter {
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
