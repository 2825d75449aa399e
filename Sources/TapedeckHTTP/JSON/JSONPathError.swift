/// Why a text is no JSON path, and where.
public struct JSONPathError: Error, Equatable, Sendable {
  public enum Reason: Equatable, Sendable {
    case noRoot
    case unexpectedEnd(expected: String)
    case unexpected(Character, expected: String)
    case invalidEscape
    case invalidIndex
    case unsupported(String)
    case tooLong(limit: Int)
  }

  public var text: String
  public var reason: Reason
  /// In characters, from 1.
  public var position: Int
}

extension JSONPathError: CustomStringConvertible {
  public var description: String {
    "\(text.debugDescription) is no JSON path: \(reason) (character \(position))"
  }
}

extension JSONPathError.Reason: CustomStringConvertible {
  public var description: String {
    switch self {
    case .noRoot: "it begins with $, like $.user.name"
    case .unexpectedEnd(let expected): "it ends where \(expected) is expected"
    case .unexpected(let character, let expected):
      "\(String(character).debugDescription) stands where \(expected) is expected"
    case .invalidEscape: "unknown escape"
    case .invalidIndex: "an index is a number like 0, 12 or -1"
    case .unsupported(let what): "\(what) are not supported"
    case .tooLong(let limit): "more than \(limit) steps"
    }
  }
}
