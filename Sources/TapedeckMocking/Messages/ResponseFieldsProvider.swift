/// Something that says with which status and header fields it is answered.
///
/// It is found at the root of what a handler returns, and through optionals, policies and key transformers around it.
/// An error that conforms and is thrown by a handler is the answer.
public protocol ResponseFieldsProvider: CustomSerializable {
  var statusCode: Int { get }
  var body: any Serializable { get }
  /// Nil for none but the body's type, which is said in any case, unless `Content-Type` is set here: to another value,
  /// or to the empty text, which leaves it out.
  var headerFields: [String: String]? { get }
}

extension ResponseFieldsProvider {
  public func customSerialized(transformingKeys keyTransformer: KeyTransformer?) -> Any? {
    body.serialized(transformingKeys: keyTransformer)
  }
}

/// A value whose JSON has a media type of its own.
public protocol MediaTyped: Serializable {
  var contentType: String { get }
}
