internal import TapedeckHTTP

extension OriginRewriter {
  /// The fields that are rewritten on the way to the origin.
  static let forwardedNames = ["origin", "referer", "destination"]

  /// The request as it goes to the origin: `Origin`, `Referer` and WebDAV's `Destination` that name us name the origin,
  /// which compares them with its own `Host` before it takes a form (CSRF) or copies a file (RFC 4918 §9.8.4).
  func forwarded(_ request: HTTPRequest) -> HTTPRequest {
    guard !request.authority.isEmpty else { return request }
    var result = request
    for index in request.fields.indices {
      guard let isWhole = Self.isWholeReference(at: index, of: request.fields),
        let value = named(request.fields.value(at: index), isWhole: isWhole, proxy: request.authority)
      else { continue }
      try? result.fields.replaceValue(at: index, with: value)
    }
    return result
  }

  /// Whether the field holds a reference with a path, or scheme and authority only; `nil` for other fields.
  private static func isWholeReference(at index: Int, of fields: HTTPFields) -> Bool? {
    switch fields.withName(at: index, \.count) {
    case 6: fields.isNamed("origin", at: index) ? false : nil
    case 7: fields.isNamed("referer", at: index) ? true : nil
    case 11: fields.isNamed("destination", at: index) ? true : nil
    default: nil
    }
  }

  /// The reference with the origin in the place of us; `nil` where it names somebody else.
  private func named(_ value: ArraySlice<UInt8>, isWhole: Bool, proxy: [UInt8]) -> [UInt8]? {
    let opening = Array("http://".utf8) + proxy
    guard value.prefix(opening.count).map(Self.lowercased) == opening.map(Self.lowercased) else { return nil }
    let rest = value.dropFirst(opening.count)
    guard rest.isEmpty || isWhole && "/?#".utf8.contains(rest.first ?? 0) else { return nil }
    return Array("\(scheme)://\(authority)\(isWhole ? pathPrefix : "")".utf8) + rest
  }
}
