public import TapedeckHTTP

/// Why a text says nothing about matching.
public enum MatchSpecError: Error, Equatable, Sendable {
  case emptyWord(in: String)
  case unknownWord(String)
  case nameMissing(after: String)
  case badHeader(String)
  case headerNotKept(String)
  case badPath(JSONPathError)
  case needless(String, with: String)
}

extension MatchSpecError: CustomStringConvertible {
  public static let known =
    "method, path, query, body, host, headers:NAME, query:ignore=NAME, body:ignore=PATH, body:json, body:form, "
    + "body:multipart, body:bytes and body:auto"

  public var description: String {
    switch self {
    case .emptyWord(let text):
      "there is nothing between two commas, or at an end, of \(text.debugDescription)"
    case .unknownWord(let word): "\(word.debugDescription) is no part of a request; known are \(Self.known)"
    case .nameMissing(let word): "a name is missing after \(word.debugDescription)"
    case .badHeader(let name): "\(name.debugDescription) is no header name"
    case .headerNotKept(let name):
      name == "host"
        ? "the Host header is compared by the word host"
        : "the header \(name) cannot be compared: cassettes do not keep it as the client sent it"
    case .badPath(let error): "\(error)"
    case .needless(let word, let other): "\(word) and \(other) do not go together"
    }
  }
}
