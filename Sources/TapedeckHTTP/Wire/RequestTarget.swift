/// The four forms of a request target (RFC 9112 §3.2), reduced to origin form.
package enum RequestTarget {
  /// Any byte but blanks, control characters and `#`. RFC 3986 allows fewer, but browsers and libraries send
  /// `"<>\^`{|}` and UTF-8 unescaped, and nginx and HAProxy pass them.
  package static func isAllowed(_ byte: UInt8) -> Bool { isVisible(byte) && byte != UInt8(ascii: "#") }

  /// The offset of the first byte from `start` on that is not allowed, read eight at a time.
  static func endOfAllowed(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    var index = start
    while index + 8 <= bytes.count {
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      let hashes = word ^ (ones &* 0x23)
      let deletes = word ^ (ones &* 0x7F)
      let controls = (word &- ones &* 0x21) & ~word
      // Carries spoil only lanes above the first one that is marked, and only the first counts.
      let marks = ((hashes &- ones) & ~hashes | (deletes &- ones) & ~deletes | controls) & (ones &* 0x80)
      guard marks == 0 else { return index + marks.trailingZeroBitCount / 8 }
      index += 8
    }
    while index < bytes.count, isAllowed(bytes[index]) { index += 1 }
    return index
  }

  /// Whether a byte can be part of a request line's token (RFC 9112 §3).
  package static func isVisible(_ byte: UInt8) -> Bool { byte > 0x20 && byte != 0x7F }

  /// A target as text, with percent-encoded bytes where it is not UTF-8.
  package static func text(_ target: [UInt8]) -> String {
    if let text = String(validating: target, as: UTF8.self) { return text }
    var out = ""
    var decoder = UTF8()
    var rest = target[...]
    while !rest.isEmpty {
      var bytes = rest.makeIterator()
      if case .scalarValue(let scalar) = decoder.decode(&bytes) {
        out.unicodeScalars.append(scalar)
        rest = rest.dropFirst(UTF8.width(scalar))
      } else {
        out += String(decoding: PercentCoding.encoded(rest.removeFirst()), as: UTF8.self)
      }
      decoder = UTF8()
    }
    return out
  }

  /// A target in origin form, and the origin that it named.
  struct Resolved {
    var originForm: [UInt8]
    var authority: [UInt8]?
    var scheme = HTTPScheme.http
  }

  static func resolve(
    _ target: [UInt8], method: HTTPMethod, limits: HTTPLimits
  ) throws(HTTPParseError) -> Resolved {
    if method == .connect {
      // RFC 9112 §3.2.3: CONNECT names host and port only.
      guard isAuthority(target[...]), namesPort(target[...]) else { throw .badTarget }
      guard limits.allowsConnect else { throw .connectUnsupported }
      return Resolved(originForm: target, authority: target)
    }
    if target.first == UInt8(ascii: "/") { return Resolved(originForm: target) }
    if target == [UInt8(ascii: "*")] {
      guard method == .options else { throw .badTarget }
      return Resolved(originForm: target)
    }
    return try resolveAbsolute(target[...], method: method)
  }

  private static func resolveAbsolute(
    _ target: ArraySlice<UInt8>, method: HTTPMethod
  ) throws(HTTPParseError) -> Resolved {
    let rest: ArraySlice<UInt8>
    let scheme: HTTPScheme
    if ASCII.equal(target.prefix(7), lowercase: "http://") {
      (scheme, rest) = (.http, target.dropFirst(7))
    } else if ASCII.equal(target.prefix(8), lowercase: "https://") {
      (scheme, rest) = (.https, target.dropFirst(8))
    } else {
      throw .badTarget
    }
    let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
    guard isAuthority(rest[..<end]) else { throw .badTarget }
    let path = rest[end...]
    let originForm: [UInt8]
    if path.isEmpty {
      originForm = [UInt8(ascii: method == .options ? "*" : "/")]
    } else {
      originForm = path.first == UInt8(ascii: "/") ? Array(path) : [UInt8(ascii: "/")] + path
    }
    return Resolved(originForm: originForm, authority: withoutEmptyPort(rest[..<end]), scheme: scheme)
  }
}

extension RequestTarget {
  /// Whether a text is `host[:port]`, without user information (RFC 3986 §3.2, RFC 9110 §4.2.4).
  static func isAuthority(_ text: ArraySlice<UInt8>) -> Bool {
    guard let hostEnd = hostEnd(text), hostEnd > text.startIndex else { return false }
    let rest = text[hostEnd...]
    guard let colon = rest.first else { return true }
    guard colon == UInt8(ascii: ":") else { return false }
    return isPort(rest.dropFirst())
  }

  static func namesPort(_ text: ArraySlice<UInt8>) -> Bool {
    hostEnd(text).map { $0 + 1 < text.endIndex } ?? false
  }

  /// Drops an empty port from a valid authority: it means the default port (RFC 3986 §3.2.3).
  static func withoutEmptyPort(_ text: ArraySlice<UInt8>) -> [UInt8] {
    Array(text.last == ASCII.colon ? text.dropLast() : text)
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

  /// Unreserved, percent and sub-delims except the comma, which would join two hosts.
  private static func isRegisteredNameByte(_ byte: UInt8) -> Bool {
    ASCII.isAlphanumeric(byte) || "-._~%!$&'()*+;=".utf8.contains(byte)
  }

  private static func isPort(_ digits: ArraySlice<UInt8>) -> Bool {
    if digits.isEmpty { return true }
    guard digits.count <= 5, digits.allSatisfy(ASCII.isDigit) else { return false }
    let value = digits.reduce(0) { $0 * 10 + Int($1 & 0x0F) }
    return value > 0 && value <= 65535
  }
}
