/// A value whose keys are spelt differently: all of them below it, those of dictionaries included.
///
/// Of transformers around one another the innermost is asked first and the outermost has the last word. Status and
/// header fields of a wrapped `Response` stay.
public protocol SerializationTransformer: CustomSerializable {
  associatedtype Wrapped: Serializable

  var wrapped: Wrapped { get }

  func transform(key: String) -> String
}

extension SerializationTransformer {
  public func customSerialized(transformingKeys keyTransformer: KeyTransformer?) -> Any? {
    wrapped.serialized { key in
      let own = transform(key: key)
      return keyTransformer?(own) ?? own
    }
  }
}

/// A transformer of ours, written without a detour.
protocol PlannedTransformer: SerializationTransformer, SelfWriting {}

extension PlannedTransformer {
  static var writer: any ValueWriter { TransformerWriter<Self>() }
}

private struct TransformerWriter<Transformer: PlannedTransformer>: TypedWriter {
  private let wrapped = LazyWriter<Transformer.Wrapped>()

  func write(value: borrowing Transformer, _ run: inout SerializationRun) throws(SerializationError) -> Bool {
    let (own, outer) = (copy value, run.keys)
    run.keys = .combined({ own.transform(key: $0) }, then: outer)
    defer { run.keys = outer }
    return try wrapped.write(value: own.wrapped, &run)
  }
}

/// `userName` becomes `user_name`. Every capital counts as a word, as Kakapo has it: `userID` becomes `user_i_d`; for
/// `user_id` there is `KeyStyleTransformer(value, .snake)`.
public struct SnakecaseTransformer<Wrapped: Serializable>: PlannedTransformer {
  public let wrapped: Wrapped

  public init(_ wrapped: Wrapped) { self.wrapped = wrapped }

  public func transform(key: String) -> String { KeyStyle.snakeByLetter.transform(key) }
}

/// Keys in any style, ready-made or one's own: `KeyStyleTransformer(user, .kebab)`.
public struct KeyStyleTransformer<Wrapped: Serializable>: PlannedTransformer {
  public let wrapped: Wrapped
  public let style: KeyStyle

  public init(_ wrapped: Wrapped, _ style: KeyStyle) {
    self.wrapped = wrapped
    self.style = style
  }

  public init(_ wrapped: Wrapped, transform: @escaping @Sendable (String) -> String) {
    self.init(wrapped, KeyStyle(transform))
  }

  public func transform(key: String) -> String { style.transform(key) }
}

extension SnakecaseTransformer: Sendable where Wrapped: Sendable {}
extension KeyStyleTransformer: Sendable where Wrapped: Sendable {}
