import TapedeckHTTP

/// Tells quickly that a request or a field holds no secret; it may err only in the other direction.
extension RedactionPolicy {
  /// Shorter words are neither tokens nor base64 that is decoded.
  private static let minimumWordBytes = 12

  func mayHide(_ request: HTTPRequest) -> Bool {
    if !request.body.isEmpty || !textGlobs.isEmpty { return true }
    return mayHide(target: request.target) || Self.sharesCredentials(request)
  }

  private func mayHide(target: [UInt8]) -> Bool {
    let (isSuspicious, query) = target.withUnsafeBufferPointer { bytes in
      var run = 0
      for index in bytes.indices {
        let byte = bytes[index]
        if ASCII.isWord(byte) {
          run += 1
          if run == Self.minimumWordBytes { return (true, 0) }
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
    return isSuspicious || query < target.count && mayHide(query: target[query...])
      || SecretSearch.mayBeHook(target[...])
  }

  private func mayHide(query: ArraySlice<UInt8>) -> Bool {
    if hasNameRules { return true }
    var start = query.startIndex
    while start < query.endIndex {
      let end = query[start...].firstIndex(of: UInt8(ascii: "&")) ?? query.endIndex
      let equals = query[start..<end].firstIndex(of: UInt8(ascii: "=")) ?? end
      if SecretNames.mayBeSecret(query[start..<equals]) || TextScan.mayHide(query[start..<equals]) {
        return true
      }
      let value = query[equals..<end].dropFirst()
      if equals == start + 1, query[start] == UInt8(ascii: "p") { return true }
      if value.contains(UInt8(ascii: "%")) || TextScan.mayHide(value) { return true }
      start = end + 1
    }
    return false
  }

  /// Whether the search of a field may find something. One that has no secret's name is searched for its words alone, and
  /// not even for those where `TextScan` would not begin.
  func mayHide(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Bool {
    guard !hasRules, !reports, FieldKind(name) == .other, !SecretNames.mayBeSecret(name) else { return true }
    let isNested = value.first == UInt8(ascii: "{") || value.first == UInt8(ascii: "[")
    return isNested || !TextScan.isOrdinary(value) && !TextScan.isEntityTag(value) && TextScan.mayHide(value)
  }

  /// Whether a field may hold a credential of which the target has a copy, in whatever encoding.
  private static func sharesCredentials(_ request: HTTPRequest) -> Bool {
    guard request.target.count > SecretValue.minimumLikelyBytes else { return false }
    return request.fields.indices.contains { index in
      SecretNames.mayBeSecret(request.fields.name(at: index)) || request.fields.isNamed("cookie", at: index)
    }
  }
}
