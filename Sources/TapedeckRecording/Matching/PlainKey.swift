import TapedeckHTTP

/// The key of a request that has neither query nor body, as most have: made in place for a look at it, without an
/// allocation. Its bytes are those that `RequestMatcher.key` makes. The caller has seen that the request is of the plain
/// variant.
enum PlainKey {
  private static let capacity = 256

  /// What `body` makes of the key; nil where the request has another one, or a long one.
  static func withBytes<Result>(
    of request: HTTPRequest, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result? {
    var method = request.method.rawValue
    // Lengths below 128 take one byte, and so do the two parts that are not there.
    guard method.utf8.count < 32, request.target.count < 128, request.body.isEmpty,
      !request.target.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "%") })
    else { return nil }
    return withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 1) { key in
      var end = 0
      method.withUTF8 { end = append(UnsafeRawBufferPointer($0), to: key, at: end) }
      request.target.withUnsafeBytes { end = append($0, to: key, at: end) }
      key[end] = 0
      key[end + 1] = CanonicalBody.Kind.none.rawValue
      return body(UnsafeRawBufferPointer(rebasing: key[..<(end + 2)]))
    }
  }

  private static func append(
    _ part: UnsafeRawBufferPointer, to key: UnsafeMutableRawBufferPointer, at start: Int
  ) -> Int {
    key[start] = UInt8(truncatingIfNeeded: part.count)
    UnsafeMutableRawBufferPointer(rebasing: key[(start + 1)...]).copyMemory(from: part)
    return start + 1 + part.count
  }
}
