import TapedeckHTTP
import TapedeckRedaction

/// JSON Web Tokens in the form used for comparison: one of another login has other times and another
/// signature. In JSON, forms and queries; paths and other bodies are compared as they are.
extension JSONValue {
  /// The value with each string that is a token replaced by what the token says.
  var comparingTokens: JSONValue { withoutTokens ?? self }

  /// `nil` when there is no token, the usual case.
  private var withoutTokens: JSONValue? {
    switch self {
    case .string(let text):
      guard text.raw.first == UInt8(ascii: "e") else { return nil }
      return WebToken(text.decodedBytes[...])?.compared
    case .array(let items):
      var result: [JSONValue]?
      for (index, item) in items.enumerated() {
        guard let item = item.withoutTokens else { continue }
        result = result ?? items
        result?[index] = item
      }
      return result.map { .array($0) }
    case .object(let members):
      var result: [JSONMember]?
      for (index, member) in members.enumerated() {
        guard let value = member.value.withoutTokens else { continue }
        result = result ?? members
        result?[index].value = value
      }
      return result.map { .object($0) }
    default: return nil
    }
  }
}

extension FormPairs {
  /// The pairs with each value that is a token replaced by what the token says.
  /// - Parameter text: the text of the pairs, which tells quickly that there is no token.
  func comparingTokens(in text: ArraySlice<UInt8>) -> FormPairs {
    guard WebToken.mayStand(in: text) else { return self }
    var result = self
    for index in pairs.indices {
      if let token = WebToken(pairs[index].value[...])?.compared {
        result.pairs[index].value = token.canonicalBytes
      }
    }
    return result
  }
}
