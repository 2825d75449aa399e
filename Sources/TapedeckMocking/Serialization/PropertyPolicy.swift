/// An optional that can also be `null`, for properties that may be absent.
public enum PropertyPolicy<Wrapped>: CustomSerializable {
  /// The member is left out.
  case none
  /// The member is `null`.
  case null
  /// The member has a value.
  case some(Wrapped)

  /// The JSON of the value; `nil` for `none`.
  public func customSerialized(transformingKeys keyTransformer: KeyTransformer?) -> Any? {
    serialized(transformingKeys: keyTransformer)
  }
}

extension PropertyPolicy: Sendable where Wrapped: Sendable {}
extension PropertyPolicy: Equatable where Wrapped: Equatable {}
extension PropertyPolicy: Hashable where Wrapped: Hashable {}

extension PropertyPolicy {
  /// Creates `null` from `nil`, else `some`.
  public init(_ value: Wrapped?) { self = value.map { .some($0) } ?? .null }

  /// The value, if there is one.
  public var value: Wrapped? {
    guard case .some(let value) = self else { return nil }
    return value
  }
}

extension PropertyPolicy: SelfWriting {
  static var writer: ValueWriter {
    let wrapped = LazyWriter<Wrapped>()
    return ValueWriter(of: Self.self) { policy, run throws(SerializationError) in
      switch policy.pointee {
      case .none: return false
      case .null:
        run.write(literal: "null")
        return true
      case .some(let value): return try wrapped.write(value: value, &run)
      }
    }
  }
}
