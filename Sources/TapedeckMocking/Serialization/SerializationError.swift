/// The reason why a value cannot be written as JSON, and the part that caused it.
public struct SerializationError: Error, Equatable, Sendable {
  /// The reason.
  public enum Cause: Equatable, Sendable {
    /// A type that is neither `Serializable` nor `Encodable`.
    case unsupportedType(String)
    /// Infinity or not a number.
    case notFinite(String)
    /// A dictionary key that is not a string or number and has no raw value.
    case unsupportedKey(type: String)
    /// More levels of nesting than the limit.
    case tooDeep(limit: Int)
    /// An `Encodable` value threw.
    case failedEncoding(String)
    /// A member name that JSON:API forbids or reserves (JSON:API 1.1 §5.8).
    case illegalMemberName(String)
  }

  /// The reason.
  public var cause: Cause
  /// The path from the root to the part: `.users`, `[3]`, `.score`.
  public var path: [String]

  package init(_ cause: Cause, path: [String] = []) {
    self.cause = cause
    self.path = path
  }

  func inside(_ step: String) -> SerializationError { SerializationError(cause, path: [step] + path) }

  /// The path as one string, like `$.users[3].score`.
  public var keyPath: String { "$" + path.joined() }
}

extension SerializationError: CustomStringConvertible {
  public var description: String {
    switch cause {
    case .unsupportedType(let type):
      "\(keyPath) is of type \(type), which cannot be written as JSON: let it conform to Serializable or Encodable"
    case .notFinite(let number): "\(keyPath) is \(number), which JSON has no word for"
    case .unsupportedKey(let type):
      "\(keyPath) has keys of type \(type), which make no JSON names: use texts, numbers or raw values"
    case .tooDeep(let limit): "\(keyPath.prefix(200)) nests more than \(limit) levels deep"
    case .failedEncoding(let problem): "\(keyPath) could not be encoded: \(problem)"
    case .illegalMemberName(let name):
      "\(keyPath) would be called \(name.debugDescription), which JSON:API allows no field to be: rename the property"
    }
  }
}
