/// Why a text is no JSON pointer.
public enum JSONPointerError: Error, Equatable, Sendable {
  case noSlash(String)
  case badEscape(String)
}

extension JSONPointerError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .noSlash(let text): "\(text.debugDescription) is no JSON pointer: it begins with /, like /items/0"
    case .badEscape(let text):
      "\(text.debugDescription) is no JSON pointer: ~ is written ~0, and / in a name ~1"
    }
  }
}
