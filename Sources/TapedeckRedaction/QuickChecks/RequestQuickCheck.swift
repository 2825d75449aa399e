import TapedeckHTTP

/// Tells quickly that a request's target and body have nothing to hide, which is true of nearly every replayed request.
/// It may only be wrong in the other direction.
enum RequestQuickCheck {
  /// Shorter words are no token, nor base64 that is decoded.
  private static let minimumWordBytes = 12

  static func mayHide(_ request: HTTPRequest, _ policy: RedactionPolicy) -> Bool {
    if !request.body.isEmpty || !policy.textGlobs.isEmpty { return true }
    return mayHide(request.target, policy) || sharesCredentials(request)
  }

  private static func mayHide(_ target: [UInt8], _ policy: RedactionPolicy) -> Bool {
    let (isSuspicious, query) = target.withUnsafeBufferPointer { bytes in
      var run = 0
      for index in bytes.indices {
        let byte = bytes[index]
        if ASCII.isWord(byte) {
          run += 1
          if run == minimumWordBytes { return (true, 0) }
        } else {
          if byte == UInt8(ascii: "?") { return (false, index + 1) }
          if byte == UInt8(ascii: "%") || byte == UInt8(ascii: "=") || byte == UInt8(ascii: ":") {
            return (true, 0)
          }
          run = 0
        }
      }
      return (false, bytes.count)
    }
    return isSuspicious || query < target.count && queryMayHide(target[query...], policy)
  }

  private static func queryMayHide(_ query: ArraySlice<UInt8>, _ policy: RedactionPolicy) -> Bool {
    if policy.hasNameRules { return true }
    var start = query.startIndex
    while start < query.endIndex {
      let end = query[start...].firstIndex(of: UInt8(ascii: "&")) ?? query.endIndex
      let equals = query[start..<end].firstIndex(of: UInt8(ascii: "=")) ?? end
      if SecretNames.mayBeSecret(query[start..<equals]) || TextScan.mayHide(query[start..<equals]) {
        return true
      }
      let value = query[equals..<end].dropFirst()
      if value.contains(UInt8(ascii: "%")) || TextScan.mayHide(value) { return true }
      start = end + 1
    }
    return false
  }

  /// Whether the end of a credential stands in the target, and so perhaps all of it.
  private static func sharesCredentials(_ request: HTTPRequest) -> Bool {
    guard request.target.count > SecretValue.minimumLikelyBytes else { return false }
    return request.fields.indices.contains { index in
      let isSecret =
        SecretNames.mayBeSecret(request.fields.name(at: index)) || request.fields.isNamed("cookie", at: index)
      guard isSecret else { return false }
      let value = request.fields.value(at: index)
      return value.split(separator: UInt8(ascii: ";")).contains { part in
        let end = Array(part.suffix(SecretValue.minimumLikelyBytes))
        return end.count == SecretValue.minimumLikelyBytes
          && ByteSearch.first(end, in: request.target[...]) != nil
      } || isBasic(value)
    }
  }

  /// The end of a password in base64 cannot be told.
  private static func isBasic(_ value: ArraySlice<UInt8>) -> Bool {
    value.prefix(6).map(ASCII.lowercased).elementsEqual("basic ".utf8)
  }
}
