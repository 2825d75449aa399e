internal import TapedeckHTTP
internal import TapedeckRecording

extension OriginRewriter {
  /// Of each text body only the beginning is searched.
  static let searchedBodyBytes = 64 * 1024

  /// Notes which fields name the origin and are left as they are.
  /// - Parameter request: without secrets.
  func search(_ fields: HTTPFields, for mentions: OriginMentions, of request: () -> HTTPRequest) {
    guard mayMention(fields) else { return }
    for index in fields.indices {
      let value = fields.value(at: index)
      let kind = kind(at: index, of: fields)
      let name = { String(decoding: fields.name(at: index), as: UTF8.self) }
      switch kind {
      case .cookie?:
        let cookie = Self.text(value)
        if scheme == "https", clientScheme == .http, Self.needsSecure(cookie) {
          mentions.note(.secureCookie(String(cookie.prefix { $0 != "=" })), of: request)
        }
      case .named?: break
      case .some(let kind):
        if !pathPrefix.isEmpty, rewritten(value, kind, proxy: Self.anyProxy) == nil,
          unprefixed.rewritten(value, kind, proxy: Self.anyProxy) != nil
        {
          mentions.note(.outside(name()), of: request)
        }
      case nil:
        if !Self.namesPages(at: index, of: fields), value.withUnsafeBytes({ mention(in: $0) != nil }) {
          mentions.note(.field(name()), of: request)
        }
      }
    }
  }

  /// Whether a field says which pages may read the response, not where to go.
  private static func namesPages(at index: Int, of fields: HTTPFields) -> Bool {
    fields.isNamed("access-control-allow-origin", at: index)
      || fields.isNamed("timing-allow-origin", at: index)
  }

  /// The same origin, all of it served.
  private var unprefixed: OriginRewriter {
    OriginRewriter(scheme: scheme, authority: authority, host: host, pathPrefix: "", rules: rules)
  }

  /// A quick check: most responses have no address in any field.
  private func mayMention(_ fields: HTTPFields) -> Bool {
    scheme == "https" && fields.contains("set-cookie")
      || fields.withBytes { bytes in nextAddress(in: bytes, from: 0) != nil }
  }

  /// Notes where a body names the origin, as far as `--rewrite-bodies` would change it.
  func search(
    _ head: HTTPResponseHead, body: UnsafeRawBufferPointer, for mentions: OriginMentions,
    of request: () -> HTTPRequest
  ) {
    guard !rules.rewritesBodies, !mentions.knowsBody, BodyRewriting.concerns(head) else { return }
    let searched = UnsafeRawBufferPointer(rebasing: body.prefix(Self.searchedBodyBytes))
    guard let start = mention(in: searched) else { return }
    mentions.note(.body(member: Self.member(before: start, in: searched)), of: request)
  }

  /// Where an origin's address begins in a text.
  func mention(in text: UnsafeRawBufferPointer) -> Int? {
    others.isEmpty ? ownMention(in: text) : ([self] + others).compactMap { $0.ownMention(in: text) }.min()
  }

  private func ownMention(in text: UnsafeRawBufferPointer) -> Int? {
    var next = 0
    while let (colon, authority) = nextAddress(in: text, from: next) {
      next = authority
      let start = colon - scheme.utf8.count
      guard start >= 0, isScheme(text[start..<colon]), mayBeOrigin(text, at: authority) else { continue }
      let window = Array(text[start..<min(text.count, authority + 512)])
      var rewriter = OriginTextRewriter(self, proxyAuthority: Array(Self.anyProxy.utf8))
      if rewriter.rewrite(window) + rewriter.finish() != window { return start }
    }
    return nil
  }

  /// Where the next `://` stands, its slashes escaped or not, and what stands behind it.
  private func nextAddress(
    in text: UnsafeRawBufferPointer, from start: Int
  ) -> (colon: Int, authority: Int)? {
    var next = start
    while let slash = text.index(of: UInt8(ascii: "/"), from: next) {
      next = slash + 1
      if slash > 0, text[slash - 1] == UInt8(ascii: ":"), next < text.count, text[next] == UInt8(ascii: "/") {
        return (slash - 1, slash + 2)
      }
      if slash > 1, text[slash - 1] == UInt8(ascii: "\\"), text[slash - 2] == UInt8(ascii: ":"),
        slash + 2 < text.count, text[slash + 1] == UInt8(ascii: "\\"), text[slash + 2] == UInt8(ascii: "/")
      {
        return (slash - 2, slash + 3)
      }
    }
    return nil
  }

  private func isScheme(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
    zip(bytes, scheme.utf8).allSatisfy { ASCII.lowercased($0) == $1 }
  }

  /// Whether the origin's name stands there, or user information before it may.
  private func mayBeOrigin(_ text: UnsafeRawBufferPointer, at start: Int) -> Bool {
    let rest = text[start...]
    if zip(rest, authority.utf8).allSatisfy({ ASCII.lowercased($0) == $1 }) { return true }
    return rest.prefix(64).prefix { !Self.endsAuthority($0) }.contains(UInt8(ascii: "@"))
  }

  /// Whether a byte ends the authority of an address in a text, which a quote, a bracket or a blank may end too.
  private static func endsAuthority(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "\""), UInt8(ascii: "\\"),
      UInt8(ascii: " "), UInt8(ascii: "<"), UInt8(ascii: ">"):
      true
    default: false
    }
  }

  /// The JSON member whose value begins with what stands at `start`.
  private static func member(before start: Int, in text: UnsafeRawBufferPointer) -> String? {
    var end = start - 1
    func skipBlanks() { while end >= 0, " \t\r\n".utf8.contains(text[end]) { end -= 1 } }
    guard end >= 0, text[end] == UInt8(ascii: "\"") else { return nil }
    end -= 1
    skipBlanks()
    guard end >= 0, text[end] == UInt8(ascii: ":") else { return nil }
    end -= 1
    skipBlanks()
    guard end >= 0, text[end] == UInt8(ascii: "\"") else { return nil }
    let name = text[..<end].suffix(64).reversed().prefix { $0 != UInt8(ascii: "\"") }
    return name.isEmpty || name.count == 64 ? nil : String(decoding: name.reversed(), as: UTF8.self)
  }
}
