/// A wrapper that transforms all keys in the JSON of its value, including those of dictionaries.
///
/// The innermost of nested transformers is applied first. Status and fields of a wrapped `Response` stay.
public protocol SerializationTransformer: CustomSerializable {
  /// The type of the wrapped value.
  associatedtype Wrapped: Serializable

  /// The value whose keys are transformed.
  var wrapped: Wrapped { get }

  /// The member name for a key, which must be the same each time.
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

extension SerializationTransformer where Self: Writable {
  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    let outer = run.keys
    run.keys = KeyMapping { key in
      let own = transform(key: key)
      return outer?.transform(own) ?? own
    }
    defer { run.keys = outer }
    return try run.write(wrapped)
  }
}

/// Turns `userName` into `user_name`. Every capital starts a word, as in Kakapo: `userID` becomes `user_i_d`;
/// for `user_id` use `KeyStyleTransformer(value, .snake)`.
public struct SnakecaseTransformer<Wrapped: Serializable>: SerializationTransformer, Writable {
  /// The value whose keys are transformed.
  public let wrapped: Wrapped

  /// Wraps a value.
  public init(_ wrapped: Wrapped) { self.wrapped = wrapped }

  /// The member name for a key.
  public func transform(key: String) -> String { KeyStyle.snakeByLetter.transform(key) }
}

/// Transforms keys into a given style: `KeyStyleTransformer(user, .kebab)`.
public struct KeyStyleTransformer<Wrapped: Serializable>: SerializationTransformer, Writable {
  /// The value whose keys are transformed.
  public let wrapped: Wrapped
  /// The style of the keys.
  public let style: KeyStyle

  /// Wraps a value and writes its keys in a style.
  public init(_ wrapped: Wrapped, _ style: KeyStyle) {
    self.wrapped = wrapped
    self.style = style
  }

  /// Wraps a value and writes its keys as `transform` returns them.
  public init(_ wrapped: Wrapped, transform: @escaping @Sendable (String) -> String) {
    self.init(wrapped, KeyStyle(transform))
  }

  /// The member name for a key.
  public func transform(key: String) -> String { style.transform(key) }
}

extension SnakecaseTransformer: Sendable where Wrapped: Sendable {}
extension KeyStyleTransformer: Sendable where Wrapped: Sendable {}
