/// A value around another that transforms all keys in its JSON, including those of dictionaries.
///
/// Of nested transformers the innermost is applied first. Status and header fields of a wrapped `Response` stay.
public protocol SerializationTransformer: CustomSerializable {
  /// The type of the wrapped value.
  associatedtype Wrapped: Serializable

  /// The value whose keys are transformed.
  var wrapped: Wrapped { get }

  /// The member name for a key; always the same one for the same key.
  func transform(key: String) -> String
}

extension SerializationTransformer {
  /// The wrapped value's JSON with transformed keys.
  public func customSerialized(transformingKeys keyTransformer: KeyTransformer?) -> Any? {
    wrapped.serialized { key in
      let own = transform(key: key)
      return keyTransformer?(own) ?? own
    }
  }
}

extension SerializationTransformer {
  /// Writes the wrapped value without intermediate JSON.
  fileprivate func writeWrapped(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    let outer = run.keys
    run.keys = .combined({ transform(key: $0) }, then: outer)
    defer { run.keys = outer }
    return try run.write(wrapped)
  }
}

/// Turns `userName` into `user_name`. Every capital starts a word, as in Kakapo: `userID` becomes `user_i_d`; for
/// `user_id` use `KeyStyleTransformer(value, .snake)`.
public struct SnakecaseTransformer<Wrapped: Serializable>: SerializationTransformer, Writable {
  /// The value whose keys are transformed.
  public let wrapped: Wrapped

  /// Wraps a value.
  public init(_ wrapped: Wrapped) { self.wrapped = wrapped }

  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool { try writeWrapped(to: &run) }

  /// The member name for a key.
  public func transform(key: String) -> String { KeyStyle.snakeByLetter.transform(key) }
}

/// Transforms keys into a given style: `KeyStyleTransformer(user, .kebab)`.
public struct KeyStyleTransformer<Wrapped: Serializable>: SerializationTransformer, Writable {
  /// The value whose keys are transformed.
  public let wrapped: Wrapped
  /// The style of the keys.
  public let style: KeyStyle

  /// Wraps a value whose keys are written in a style.
  public init(_ wrapped: Wrapped, _ style: KeyStyle) {
    self.wrapped = wrapped
    self.style = style
  }

  /// Wraps a value whose keys are written as `transform` returns them.
  public init(_ wrapped: Wrapped, transform: @escaping @Sendable (String) -> String) {
    self.init(wrapped, KeyStyle(transform))
  }

  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool { try writeWrapped(to: &run) }

  /// The member name for a key.
  public func transform(key: String) -> String { style.transform(key) }
}

extension SnakecaseTransformer: Sendable where Wrapped: Sendable {}
extension KeyStyleTransformer: Sendable where Wrapped: Sendable {}
