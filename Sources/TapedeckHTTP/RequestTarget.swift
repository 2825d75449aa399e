/// The four forms of a request target (RFC 9112 §3.2), reduced to origin form.
enum RequestTarget {
  /// Bits of the characters a target may hold, bytes 0–63 and 64–127.
  private static let allowedLow: UInt64 = 0xAFFF_FFF2_0000_0000
  private static let allowedHigh: UInt64 = 0x57FF_FFFE_AFFF_FFFF

  /// Visible ASCII without those characters that no URI holds and parsers disagree about: `"<>\^`{}#`.
  static func isAllowed(_ byte: UInt8) -> Bool {
    if byte < 64 { return (allowedLow >> UInt64(byte)) & 1 == 1 }
    return byte < 128 && (allowedHigh >> UInt64(byte & 63)) & 1 == 1
  }

  /// Path and query, and the authority when the target named one.
  static func resolve(
    _ target: [UInt8], method: HTTPMethod
  ) throws(HTTPParseError) -> (originForm: [UInt8], authority: [UInt8]?) {
    if method == .connect {
      // RFC 9112 §3.2.3: CONNECT names host and port, nothing else.
      guard Authority.isValid(target[...]), Authority.namesPort(target[...]) else { throw .badTarget }
      throw .connectUnsupported
    }
    if target.first == UInt8(ascii: "/") { return (target, nil) }
    if target == [UInt8(ascii: "*")] {
      guard method == .options else { throw .badTarget }
      return (target, nil)
    }
    return try resolveAbsolute(target[...], method: method)
  }

  private static func resolveAbsolute(
    _ target: ArraySlice<UInt8>, method: HTTPMethod
  ) throws(HTTPParseError) -> (originForm: [UInt8], authority: [UInt8]?) {
    let rest: ArraySlice<UInt8>
    if ASCII.equal(target.prefix(7), lowercase: "http://") {
      rest = target.dropFirst(7)
    } else if ASCII.equal(target.prefix(8), lowercase: "https://") {
      rest = target.dropFirst(8)
    } else {
      throw .badTarget
    }
    let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
    guard Authority.isValid(rest[..<end]) else { throw .badTarget }
    let path = rest[end...]
    let originForm: [UInt8]
    if path.isEmpty {
      originForm = [UInt8(ascii: method == .options ? "*" : "/")]
    } else {
      originForm = path.first == UInt8(ascii: "/") ? Array(path) : [UInt8(ascii: "/")] + path
    }
    return (originForm, Array(rest[..<end]))
  }
}

/// `host[:port]` without userinfo (RFC 3986 §3.2, RFC 9110 §4.2.4).
enum Authority {
  static func isValid(_ text: ArraySlice<UInt8>) -> Bool {
    guard let hostEnd = hostEnd(text), hostEnd > text.startIndex else { return false }
    let rest = text[hostEnd...]
    guard let colon = rest.first else { return true }
    guard colon == UInt8(ascii: ":") else { return false }
    return isPort(rest.dropFirst())
  }

  /// Whether a valid authority names its port.
  static func namesPort(_ text: ArraySlice<UInt8>) -> Bool {
    hostEnd(text).map { $0 < text.endIndex } ?? false
  }

  private static func hostEnd(_ text: ArraySlice<UInt8>) -> Int? {
    guard text.first == UInt8(ascii: "[") else {
      return text.firstIndex { !isRegisteredNameByte($0) } ?? text.endIndex
    }
    guard let close = text.firstIndex(of: UInt8(ascii: "]")) else { return nil }
    let inside = text[(text.startIndex + 1)..<close]
    let isAddress = inside.allSatisfy {
      ASCII.hexValue($0) != nil || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
    }
    return isAddress && inside.contains(UInt8(ascii: ":")) ? close + 1 : nil
  }

  /// Unreserved, percent and sub-delims without the comma, which would join two hosts.
  private static func isRegisteredNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "%"),
      UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("),
      UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ";"), UInt8(ascii: "="):
      true
    default: false
    }
  }

  private static func isPort(_ digits: ArraySlice<UInt8>) -> Bool {
    guard (1...5).contains(digits.count), digits.allSatisfy(ASCII.isDigit) else { return false }
    let value = digits.reduce(0) { $0 * 10 + Int($1 & 0x0F) }
    return value > 0 && value <= 65535
  }
}
