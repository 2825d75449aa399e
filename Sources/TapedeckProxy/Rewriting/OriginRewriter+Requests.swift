internal import TapedeckHTTP

extension OriginRewriter {
  /// The fields that are rewritten on the way to the origin.
  static let forwardedNames = ["origin", "referer", "destination"]

  /// The request as it goes to the origin: `Origin`, `Referer` and WebDAV's `Destination` that name us name the origin,
  /// which compares them with its own `Host` before it takes a form (CSRF) or copies a file (RFC 4918 §9.8.4).
  /// - Parameter asked: the request as the client sent it, where there are several origins.
  func forwarded(_ request: HTTPRequest, from asked: HTTPRequest? = nil) -> HTTPRequest {
    let places = request.fields.indices.filter { Self.isWholeReference(at: $0, of: request.fields) != nil }
    let asked = asked ?? request
    guard !places.isEmpty, !asked.authority.isEmpty else { return request }
    var result = request
    for index in places {
      guard let isWhole = Self.isWholeReference(at: index, of: request.fields),
        let value = named(request.fields.value(at: index), isWhole: isWhole, asked)
      else { continue }
      try? result.fields.replaceValue(at: index, with: value)
    }
    return result
  }

  /// Whether the field holds a reference with a path, or scheme and authority only; `nil` for other fields.
  private static func isWholeReference(at index: Int, of fields: HTTPFields) -> Bool? {
    switch fields.nameLength(at: index) {
    case 6: fields.isNamed("origin", at: index) ? false : nil
    case 7: fields.isNamed("referer", at: index) ? true : nil
    case 11: fields.isNamed("destination", at: index) ? true : nil
    default: nil
    }
  }

  /// The reference with the origin in the place of us; `nil` where it names somebody else.
  private func named(_ value: ArraySlice<UInt8>, isWhole: Bool, _ asked: HTTPRequest) -> [UInt8]? {
    guard isOnly else { return namedAmongOthers(value, isWhole: isWhole, asked) }
    let opening = Array("\(asked.scheme.rawValue)://".utf8) + asked.authority
    guard value.prefix(opening.count).map(ASCII.lowercased) == opening.map(ASCII.lowercased)
    else { return nil }
    let rest = value.dropFirst(opening.count)
    guard rest.isEmpty || isWhole && "/?#".utf8.contains(rest.first ?? 0) else { return nil }
    return original(rest, isWhole: isWhole)
  }

  /// A reference that the origin would have sent.
  /// - Parameter rest: what stands behind the authority in the client's.
  private func original(_ rest: ArraySlice<UInt8>, isWhole: Bool) -> [UInt8] {
    let path = rest.dropFirst(place.prefix.utf8.count)
    let needsSlash = isWhole && !place.prefix.isEmpty && pathPrefix.isEmpty && path.first != UInt8(ascii: "/")
    let prefix = needsSlash ? "/" : isWhole ? pathPrefix : ""
    return Array("\(scheme)://\(authority)\(prefix)".utf8) + path
  }

  /// `Origin` says only by which host the client reached us: then the page of the same request tells which origin is
  /// meant, or else the request is taken for one of the origin's own pages.
  private func namedAmongOthers(
    _ value: ArraySlice<UInt8>, isWhole: Bool, _ asked: HTTPRequest
  ) -> [UInt8]? {
    if isWhole {
      return found(value, asked).flatMap { origin, rest in origin.original(rest, isWhole: true) }
    }
    let all = [self] + others
    let proxy = Self.name(asked.authority)
    guard let (authority, rest) = Self.address(value, asked.scheme), rest.isEmpty,
      all.contains(where: { $0.place.isFound(at: authority, proxy: proxy) })
    else { return nil }
    let named = all.first { $0.place.isNamed && $0.place.isFound(at: authority, proxy: proxy) }
    let page = asked.fields.first("referer").flatMap { found($0, asked)?.origin }
    return (named ?? page ?? self).original([], isWhole: false)
  }

  /// The origin that a client's reference leads to, and what stands behind the authority.
  private func found(
    _ reference: ArraySlice<UInt8>, _ asked: HTTPRequest
  ) -> (origin: OriginRewriter, rest: ArraySlice<UInt8>)? {
    guard let (authority, rest) = Self.address(reference, asked.scheme) else { return nil }
    let proxy = Self.name(asked.authority)
    let fitting = ([self] + others).filter {
      $0.place.isFound(at: authority, proxy: proxy) && $0.place.isAbove(rest)
    }
    return fitting.max { $0.place.specificity < $1.place.specificity }.map { ($0, rest) }
  }

  /// The authority of a reference with this scheme, and what stands behind it.
  private static func address(
    _ reference: ArraySlice<UInt8>, _ scheme: HTTPScheme
  ) -> (authority: String, rest: ArraySlice<UInt8>)? {
    let opening = Array("\(scheme.rawValue)://".utf8)
    guard reference.prefix(opening.count).map(ASCII.lowercased) == opening else { return nil }
    let authority = reference.dropFirst(opening.count).prefix { !"/?#".utf8.contains($0) }
    return (name(authority), reference[authority.endIndex...])
  }

  private static func name(_ authority: some Sequence<UInt8>) -> String {
    String(decoding: authority.map(ASCII.lowercased), as: UTF8.self)
  }
}
