internal import TapedeckHTTP

/// Turns the origin's address into ours in a text that comes in pieces of any size.
///
/// An address is scheme, authority and path prefix as a whole: `https://api.example.com` is none in
/// `https://api.example.com.evil` or `https://api.example.com:8443`. Slashes may be escaped as JSON allows
/// (`https:\/\/…`). User information before the authority stays. Only what may be the beginning of an address is held
/// back: an event that ends a piece goes out with it.
struct OriginTextRewriter {
  /// One way to write slashes.
  private struct Spelling {
    /// `https://`
    let opening: [UInt8]
    /// Of an address that names us: `http://`, or `https://` for a client that came over TLS.
    let newOpening: [UInt8]
    let prefix: [UInt8]
    /// Where the client finds it below our authority.
    let newPrefix: [UInt8]

    init(_ origin: OriginRewriter, slash: String) {
      opening = Array("\(origin.scheme):\(slash)\(slash)".utf8)
      newOpening = Array("\(origin.clientScheme.rawValue):\(slash)\(slash)".utf8)
      prefix = Self.spelled(origin.pathPrefix, slash)
      newPrefix = Self.spelled(origin.place.prefix, slash)
    }

    private static func spelled(_ path: String, _ slash: String) -> [UInt8] {
      path.utf8.flatMap { $0 == UInt8(ascii: "/") ? Array(slash.utf8) : [$0] }
    }
  }

  private enum Match {
    case none
    /// It may be one, when more has come.
    case open
    case whole(end: Int, replacement: [UInt8])
  }

  private static let maximumUserInformationBytes = 256

  private let scheme: [UInt8]
  /// The origin's, in lower case.
  private let authority: [UInt8]
  private let proxyAuthority: [UInt8]
  /// `:443`; empty where the origin's port is not its scheme's own.
  private let defaultPort: [UInt8]
  private let spellings: [Spelling]
  private var held: [UInt8] = []
  /// The rewriters of the other origins, which get the text one after the other.
  private var others: [OriginTextRewriter]

  /// - Parameter proxyAuthority: where the client reached us.
  init(_ origin: OriginRewriter, proxyAuthority: [UInt8]) {
    scheme = Array(origin.scheme.utf8)
    authority = Array(origin.authority.utf8)
    self.proxyAuthority =
      origin.isOnly
      ? proxyAuthority
      : origin.place.authority(String(decoding: proxyAuthority, as: UTF8.self)).map { Array($0.utf8) } ?? []
    others = origin.others.map { OriginTextRewriter($0, proxyAuthority: proxyAuthority) }
    defaultPort = origin.defaultPort.map { [UInt8(ascii: ":")] + $0 } ?? []
    spellings = ["/", "\\/"].map { Spelling(origin, slash: $0) }
  }

  /// The next piece of the text, without what is held back.
  mutating func rewrite(_ piece: some Sequence<UInt8>) -> [UInt8] {
    var text = rewrite(held + piece, isLast: false)
    for index in others.indices { text = others[index].rewrite(text) }
    return text
  }

  /// The text that was held back.
  mutating func finish() -> [UInt8] {
    var text = rewrite(held, isLast: true)
    for index in others.indices { text = others[index].rewrite(text) + others[index].finish() }
    return text
  }

  private mutating func rewrite(_ text: [UInt8], isLast: Bool) -> [UInt8] {
    var out: [UInt8] = []
    var done = 0
    var next = 0
    while let colon = text[next...].firstIndex(of: UInt8(ascii: ":")) {
      next = colon + 1
      let start = colon - scheme.count
      guard start >= done else { continue }
      switch match(in: text, at: start, isLast: isLast) {
      case .none: continue
      case .open:
        held = Array(text[start...])
        return out + text[done..<start]
      case .whole(let end, let replacement):
        out += text[done..<start] + replacement
        (done, next) = (end, end)
      }
    }
    let end = isLast ? text.count : Self.startOfTail(text[done...], beginning: scheme)
    held = Array(text[end...])
    return out + text[done..<end]
  }

  /// Where the longest end of `text` begins that the scheme begins with.
  private static func startOfTail(_ text: ArraySlice<UInt8>, beginning scheme: [UInt8]) -> Int {
    let earliest = max(text.startIndex, text.endIndex - scheme.count)
    return (earliest..<text.endIndex).first { isBeginning(text[$0...], of: scheme) } ?? text.endIndex
  }

  private func match(in text: [UInt8], at start: Int, isLast: Bool) -> Match {
    for spelling in spellings {
      let opening = text[start...].prefix(spelling.opening.count)
      guard Self.isBeginning(opening, of: spelling.opening) else { continue }
      if opening.count < spelling.opening.count { return isLast ? .none : .open }
      let end = Self.endOfUserInformation(text[opening.endIndex...])
      guard end < text.endIndex || isLast || end - opening.endIndex > Self.maximumUserInformationBytes else {
        return .open
      }
      let hasUser = end < text.endIndex && text[end] == UInt8(ascii: "@")
      let user = hasUser ? text[opening.endIndex...end] : []
      let address = hasUser ? end + 1 : opening.endIndex
      return match(of: spelling, user: user, in: text, at: address, isLast: isLast)
    }
    return .none
  }

  private static func isBeginning(_ bytes: ArraySlice<UInt8>, of whole: [UInt8]) -> Bool {
    zip(bytes, whole).allSatisfy { ASCII.lowercased($0) == $1 }
  }

  /// Where a byte stands that no user information holds (RFC 3986 §3.2.1).
  private static func endOfUserInformation(_ rest: ArraySlice<UInt8>) -> Int {
    rest.prefix(maximumUserInformationBytes + 1)
      .firstIndex { !ASCII.isAlphanumeric($0) && !"-._~%!$&'()*+,;=:".utf8.contains($0) }
      ?? min(rest.endIndex, rest.startIndex + maximumUserInformationBytes + 1)
  }

  private func match(
    of spelling: Spelling, user: ArraySlice<UInt8>, in text: [UInt8], at start: Int, isLast: Bool
  ) -> Match {
    let name = text[start...].prefix(authority.count)
    guard Self.isBeginning(name, of: authority) else { return .none }
    if name.count < authority.count { return isLast ? .none : .open }
    var rest = text[name.endIndex...]
    if rest.count <= defaultPort.count, !isLast, defaultPort.starts(with: rest) { return .open }
    if !defaultPort.isEmpty, rest.starts(with: defaultPort),
      rest.dropFirst(defaultPort.count).first.map(ASCII.isDigit) != true
    {
      rest = rest.dropFirst(defaultPort.count)
    }
    if rest.count < spelling.prefix.count, !isLast, spelling.prefix.starts(with: rest) { return .open }
    guard rest.starts(with: spelling.prefix) else { return .none }
    rest = rest.dropFirst(spelling.prefix.count)
    switch Self.isNameContinued(in: rest, isLast: isLast) {
    case true?: return .none
    case false?:
      return .whole(
        end: rest.startIndex, replacement: spelling.newOpening + user + proxyAuthority + spelling.newPrefix)
    case nil: return .open
    }
  }

  /// Whether what follows belongs to the same host, port or path segment; `nil` when more must come to tell.
  private static func isNameContinued(in rest: ArraySlice<UInt8>, isLast: Bool) -> Bool? {
    guard let first = rest.first else { return isLast ? false : nil }
    switch first {
    case UInt8(ascii: "."), UInt8(ascii: ":"):
      guard let second = rest.dropFirst().first else { return isLast ? false : nil }
      return ASCII.isAlphanumeric(second)
    default: return ASCII.isAlphanumeric(first) || "-_~%@".utf8.contains(first)
    }
  }
}
