/// An optional that can also say `null`: what becomes of a property that may be absent.
public enum PropertyPolicy<Wrapped>: CustomSerializable {
  /// The member is left out.
  case none
  /// The member is `null`.
  case null
  case some(Wrapped)

  public func customSerialized(transformingKeys keyTransformer: KeyTransformer?) -> Any? {
    serialized(transformingKeys: keyTransformer)
  }
}

extension PropertyPolicy: Sendable where Wrapped: Sendable {}
extension PropertyPolicy: Equatable where Wrapped: Equatable {}
extension PropertyPolicy: Hashable where Wrapped: Hashable {}

extension PropertyPolicy {
  /// Nil becomes `null`.
  public init(_ value: Wrapped?) { self = value.map { .some($0) } ?? .null }

  public var value: Wrapped? {
    guard case .some(let value) = self else { return nil }
    return value
  }
}

extension PropertyPolicy: SelfWriting {
  static var writer: any ValueWriter { PolicyWriter<Wrapped>() }
}

private struct PolicyWriter<Wrapped>: ValueWriter {
  private let wrapped = LazyWriter<Wrapped>()

  func write(_ pointer: UnsafeRawPointer, _ run: inout SerializationRun) throws(SerializationError) -> Bool {
    switch pointer.assumingMemoryBound(to: PropertyPolicy<Wrapped>.self).pointee {
    case .none: return false
    case .null:
      run.write(literal: "null")
      return true
    case .some(let value): return try wrapped.write(value: value, &run)
    }
  }
}
