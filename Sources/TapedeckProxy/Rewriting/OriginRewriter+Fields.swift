internal import TapedeckHTTP

extension OriginRewriter {
  /// How a field holds references.
  enum FieldKind {
    /// The value is one.
    case reference
    /// `<reference>; rel="next", …` (RFC 8288).
    case links
    /// `5; url=reference`.
    case refresh
    /// `Bearer realm="reference"` (RFC 6750 §3).
    case challenge
    case cookie
    /// Scheme and authority of the pages that may read the response.
    case page
    /// One that the user named: a reference, or a text that holds some.
    case named
  }

  /// `nil` for a field that is left as it is.
  func kind(at index: Int, of fields: HTTPFields) -> FieldKind? {
    switch fields.nameLength(at: index) {
    case 4: if fields.isNamed("link", at: index) { return .links }
    case 7: if fields.isNamed("refresh", at: index) { return .refresh }
    case 8: if fields.isNamed("location", at: index) { return .reference }
    case 10: if fields.isNamed("set-cookie", at: index) { return .cookie }
    case 16:
      if fields.isNamed("content-location", at: index) { return .reference }
      if fields.isNamed("www-authenticate", at: index) { return .challenge }
    case 18: if fields.isNamed("operation-location", at: index) { return .reference }
    case 20: if fields.isNamed("azure-asyncoperation", at: index) { return .reference }
    case 27:
      // The pages of one origin need no permission to read its responses.
      if !others.isEmpty, fields.isNamed("access-control-allow-origin", at: index) { return .page }
    default: break
    }
    guard !extraFields.isEmpty else { return nil }
    let name = fields.name(at: index).map(ASCII.lowercased)
    return extraFields.contains(name) ? .named : nil
  }

  /// Whether any field of a response would be changed.
  func concerns(_ fields: HTTPFields) -> Bool {
    fields.indices.contains { index in
      guard let kind = kind(at: index, of: fields) else { return false }
      return rewritten(fields.value(at: index), kind, proxy: Self.anyProxy) != nil
    }
  }

  /// Stands for the address of a client that is not known yet.
  static let anyProxy = "proxy.invalid"

  /// The fields for a client that reached us as `proxyAuthority`.
  func rewritten(_ fields: HTTPFields, proxyAuthority: [UInt8]) -> HTTPFields {
    var result = fields
    for index in fields.indices {
      guard let kind = kind(at: index, of: fields) else { continue }
      let proxy = Self.text(proxyAuthority)
      guard let value = rewritten(fields.value(at: index), kind, proxy: proxy) else { continue }
      try? result.replaceValue(at: index, with: value)
    }
    return result
  }

  /// The new value; `nil` when nothing in it has to change.
  func rewritten(_ value: ArraySlice<UInt8>, _ kind: FieldKind, proxy: String) -> [UInt8]? {
    let text = Self.text(value)
    let replaced =
      switch kind {
      case .reference: rewrittenLocation(text, proxy: proxy)
      case .links: rewrittenLinks(text, proxy: proxy)
      case .refresh: rewrittenRefresh(text, proxy: proxy)
      case .challenge: rewrittenChallenge(text, proxy: proxy)
      case .cookie: rewrittenCookie(text, proxy: proxy)
      case .page: rewrittenPage(text, proxy: proxy)
      case .named: rewrittenLocation(text, proxy: proxy) ?? rewrittenText(text, proxy: proxy)
      }
    return replaced.map(Self.bytes)
  }

  /// Every absolute address of the origin in a text.
  private func rewrittenText(_ text: String, proxy: String) -> String? {
    guard !proxy.isEmpty else { return nil }
    var rewriter = OriginTextRewriter(self, proxyAuthority: Array(proxy.utf8))
    let bytes = Array(text.utf8)
    let result = rewriter.rewrite(bytes) + rewriter.finish()
    return result == bytes ? nil : String(decoding: result, as: UTF8.self)
  }

  func rewrittenLinks(_ text: String, proxy: String) -> String? {
    var result = ""
    var hasChanged = false
    var rest = text[...]
    while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
      let start = rest.index(after: open)
      let reference = String(rest[start..<close])
      let replaced = rewrittenLocation(reference, proxy: proxy)
      hasChanged = hasChanged || replaced != nil
      result += rest[..<start] + (replaced ?? reference)
      rest = rest[close...]
    }
    return hasChanged ? result + rest : nil
  }

  /// As the HTML Standard reads it: seconds, `url=`, and the reference with quotes around it or without.
  func rewrittenRefresh(_ text: String, proxy: String) -> String? {
    let bytes = Array(text.utf8)
    let name = Array("url=".utf8)
    let found = bytes.indices.first { start in
      bytes[start...].prefix(name.count).map(ASCII.lowercased) == name
    }
    guard let found else { return nil }
    var start = found + name.count
    while start < bytes.count, bytes[start] == UInt8(ascii: " ") { start += 1 }
    var end = bytes.count
    if start < bytes.count, "'\"".utf8.contains(bytes[start]) {
      let quote = bytes[start]
      start += 1
      end = bytes[start...].firstIndex(of: quote) ?? end
    }
    let reference = String(decoding: bytes[start..<end], as: UTF8.self)
    return rewrittenLocation(reference, proxy: proxy).map {
      String(decoding: bytes[..<start], as: UTF8.self) + $0 + String(decoding: bytes[end...], as: UTF8.self)
    }
  }

  /// Only where tokens are asked for is the realm an address to go to; elsewhere it is a name, which must stay.
  func rewrittenChallenge(_ text: String, proxy: String) -> String? {
    var challenges = ChallengeScanner(text)
    while let realm = challenges.nextRealm() {
      guard realm.scheme == "bearer", !realm.value.hasPrefix("/") || realm.value.hasPrefix("//"),
        let replaced = rewrittenLocation(realm.value, proxy: proxy)
      else { continue }
      return challenges.replacing(realm, with: replaced)
    }
    return nil
  }
}

/// Finds the realms in the challenges of `WWW-Authenticate` (RFC 9110 §11.6.1).
private struct ChallengeScanner {
  struct Realm {
    var scheme: String
    var value: String
    var range: Range<Int>
  }

  private let bytes: [UInt8]
  private var index = 0
  private var scheme = ""

  init(_ text: String) { bytes = Array(text.utf8) }

  func replacing(_ realm: Realm, with value: String) -> String {
    String(
      decoding: bytes[..<realm.range.lowerBound] + value.utf8 + bytes[realm.range.upperBound...],
      as: UTF8.self)
  }

  mutating func nextRealm() -> Realm? {
    while skip(" \t,"), index < bytes.count {
      let start = index
      while index < bytes.count, !" \t,=".utf8.contains(bytes[index]) { index += 1 }
      let word = String(decoding: bytes[start..<index], as: UTF8.self).lowercased()
      let end = index
      _ = skip(" \t")
      guard index < bytes.count, bytes[index] == UInt8(ascii: "=") else {
        index = max(index, start + 1)
        if end > start { scheme = word }
        continue
      }
      index += 1
      let range = value()
      if word == "realm" {
        return Realm(
          scheme: scheme, value: String(decoding: bytes[range], as: UTF8.self), range: range)
      }
    }
    return nil
  }

  private mutating func skip(_ blanks: StaticString) -> Bool {
    let blanks = UnsafeBufferPointer(start: blanks.utf8Start, count: blanks.utf8CodeUnitCount)
    while index < bytes.count, blanks.contains(bytes[index]) { index += 1 }
    return true
  }

  /// The place of a parameter's value, without its quotes.
  private mutating func value() -> Range<Int> {
    _ = skip(" \t")
    guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else {
      let start = index
      while index < bytes.count, !" \t,".utf8.contains(bytes[index]) { index += 1 }
      return start..<index
    }
    let start = index + 1
    index = start
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    let end = min(index, bytes.count)
    index = min(end + 1, bytes.count)
    return start..<end
  }
}
