/// Turns the origin's address into ours in a text that comes in pieces of any size.
///
/// An address is scheme, authority and path prefix as a whole: `https://api.example.com` is none in
/// `https://api.example.com.evil` or `https://api.example.com:8443`. Slashes may be escaped as JSON allows
/// (`https:\/\/…`). What may be the beginning of an address is held back, and nothing else: an event that ends a piece
/// goes out with it.
struct OriginTextRewriter {
  /// One way to write slashes.
  private struct Spelling {
    /// `https://api.example.com`, in lower case.
    let address: [UInt8]
    let prefix: [UInt8]
    let replacement: [UInt8]

    init(_ origin: OriginRewriter, replacement: String, slash: String) {
      address = Array("\(origin.scheme):\(slash)\(slash)\(origin.authority)".utf8)
      prefix = origin.pathPrefix.utf8.flatMap { $0 == UInt8(ascii: "/") ? Array(slash.utf8) : [$0] }
      self.replacement = replacement.utf8.flatMap { $0 == UInt8(ascii: "/") ? Array(slash.utf8) : [$0] }
    }
  }

  private enum Match {
    case none
    /// It may be one, when more has come.
    case open
    case whole(end: Int, replacement: [UInt8])
  }

  private let scheme: [UInt8]
  /// `:443`; empty where the origin's port is not its scheme's own.
  private let defaultPort: [UInt8]
  private let spellings: [Spelling]
  private var held: [UInt8] = []

  /// - Parameter proxyAuthority: where the client reached us.
  init(_ origin: OriginRewriter, proxyAuthority: [UInt8]) {
    scheme = Array(origin.scheme.utf8)
    defaultPort =
      origin.authority == origin.host ? Array((origin.scheme == "https" ? ":443" : ":80").utf8) : []
    let replacement = "http://\(String(decoding: proxyAuthority, as: UTF8.self))"
    spellings = ["/", "\\/"].map { Spelling(origin, replacement: replacement, slash: $0) }
  }

  /// The next piece of the text, without what is held back.
  mutating func rewrite(_ piece: some Sequence<UInt8>) -> [UInt8] { rewrite(held + piece, isLast: false) }

  /// What was held back.
  mutating func finish() -> [UInt8] { rewrite(held, isLast: true) }

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
      case .open: return hold(text, from: start, after: out + text[done..<start])
      case .whole(let end, let replacement):
        out += text[done..<start] + replacement
        (done, next) = (end, end)
      }
    }
    let end = isLast ? text.count : Self.startOfTail(text[done...], beginning: scheme)
    return hold(text, from: end, after: out + text[done..<end])
  }

  private mutating func hold(_ text: [UInt8], from start: Int, after out: [UInt8]) -> [UInt8] {
    held = Array(text[start...])
    return out
  }

  /// Where the longest end of `text` begins that the scheme begins with.
  private static func startOfTail(_ text: ArraySlice<UInt8>, beginning scheme: [UInt8]) -> Int {
    let earliest = max(text.startIndex, text.endIndex - scheme.count)
    return (earliest..<text.endIndex).first { start in
      zip(text[start...], scheme).allSatisfy { lowercased($0) == $1 }
    } ?? text.endIndex
  }

  private func match(in text: [UInt8], at start: Int, isLast: Bool) -> Match {
    for spelling in spellings {
      let address = text[start...].prefix(spelling.address.count)
      guard zip(address, spelling.address).allSatisfy({ Self.lowercased($0) == $1 }) else { continue }
      if address.count < spelling.address.count { return isLast ? .none : .open }
      return match(of: spelling, in: text, after: address.endIndex, isLast: isLast)
    }
    return .none
  }

  private func match(of spelling: Spelling, in text: [UInt8], after address: Int, isLast: Bool) -> Match {
    var rest = text[address...]
    if rest.count <= defaultPort.count, !isLast, defaultPort.starts(with: rest) { return .open }
    if !defaultPort.isEmpty, rest.starts(with: defaultPort),
      !Self.isDigit(rest.dropFirst(defaultPort.count).first)
    {
      rest = rest.dropFirst(defaultPort.count)
    }
    if rest.count < spelling.prefix.count, !isLast, spelling.prefix.starts(with: rest) { return .open }
    guard rest.starts(with: spelling.prefix) else { return .none }
    rest = rest.dropFirst(spelling.prefix.count)
    switch Self.isNameContinued(in: rest, isLast: isLast) {
    case true?: return .none
    case false?: return .whole(end: rest.startIndex, replacement: spelling.replacement)
    case nil: return .open
    }
  }

  /// Whether what follows belongs to the same host, port or path segment; nil when more must come to tell.
  private static func isNameContinued(in rest: ArraySlice<UInt8>, isLast: Bool) -> Bool? {
    guard let first = rest.first else { return isLast ? false : nil }
    switch first {
    case UInt8(ascii: "."), UInt8(ascii: ":"):
      guard let second = rest.dropFirst().first else { return isLast ? false : nil }
      return isAlphanumeric(second)
    default: return isAlphanumeric(first) || "-_~%@".utf8.contains(first)
    }
  }

  private static func isDigit(_ byte: UInt8?) -> Bool { byte.map { $0 &- 0x30 < 10 } ?? false }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool { isDigit(byte) || (byte | 0x20) &- 0x61 < 26 }

  private static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }
}
