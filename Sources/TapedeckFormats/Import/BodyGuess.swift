import TapedeckHTTP

/// The media type of a body that a mapping tells without one. How bodies are compared depends on it, so that a JSON body
/// must be known for one; each use leaves a remark.
enum BodyGuess {
  static func mediaType(of body: [UInt8]) -> StaticString? {
    if let value = try? JSONValue(parsing: body), value.members != nil || value.array != nil {
      return "application/json"
    }
    return isForm(body) ? "application/x-www-form-urlencoded" : nil
  }

  private static func isForm(_ body: [UInt8]) -> Bool {
    let pairs = body.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
    return pairs.allSatisfy { pair in
      pair.count { $0 == UInt8(ascii: "=") } == 1 && pair.first != UInt8(ascii: "=")
        && pair.allSatisfy { $0 == UInt8(ascii: "=") || HARParams.isEncoded($0) }
    }
  }
}

extension ExchangeDraft {
  /// Gives a body without a media type the one that it looks like.
  mutating func guessMediaType() {
    guard !requestBody.isEmpty, !requestFields.contains("content-type"),
      let type = BodyGuess.mediaType(of: requestBody)
    else { return }
    requestFields.append(literal: "Content-Type", "\(type)")
    remark(.changed, "the request is taken to be \(type), as its body looks")
  }
}
