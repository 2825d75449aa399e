/// `METHOD SP target SP HTTP/1.1`, read strictly (RFC 9112 §3): one space, no other white space, nothing corrected.
struct RequestLine: Sendable {
  var method: HTTPMethod
  /// In origin form.
  var target: [UInt8]
  /// What an absolute-form target named.
  var authority: [UInt8]?
  var version: HTTPVersion
  /// The length of the line with its CRLF.
  var byteCount: Int

  /// `line` begins with the request line and holds all of it, CRLF included; how long its method is was found before.
  static func parse(
    _ line: UnsafeRawBufferPointer, methodBytes: Int, limits: HTTPLimits
  ) throws(HTTPParseError) -> RequestLine {
    var cursor = methodBytes
    guard cursor < line.count else { throw .badRequestLine }
    let method = HTTPMethod(token: UnsafeRawBufferPointer(rebasing: line[..<cursor]))
    cursor += 1
    let target = try parseTarget(line, &cursor, limits)
    let version = try parseVersion(line, &cursor)
    let resolved = try RequestTarget.resolve(target, method: method)
    return RequestLine(
      method: method, target: resolved.originForm, authority: resolved.authority, version: version,
      byteCount: cursor)
  }

  /// How many bytes the method has; `bytes.count` when it is still coming. Tells garbage, like a TLS handshake sent
  /// to a plain port, by its first byte.
  static func methodLength(
    _ bytes: UnsafeRawBufferPointer, limits: HTTPLimits
  ) throws(HTTPParseError) -> Int {
    var end = 0
    while end < bytes.count, ASCII.isToken(bytes[end]) {
      end += 1
      guard end <= limits.methodBytes else { throw .methodTooLong }
    }
    guard end < bytes.count else { return end }
    guard end > 0, bytes[end] == ASCII.space else { throw .badRequestLine }
    return end
  }

  private static func parseTarget(
    _ line: UnsafeRawBufferPointer, _ cursor: inout Int, _ limits: HTTPLimits
  ) throws(HTTPParseError) -> [UInt8] {
    let start = cursor
    var end = start
    while end < line.count, RequestTarget.isAllowed(line[end]) { end += 1 }
    cursor = end
    guard cursor - start <= limits.targetBytes else { throw .targetTooLong }
    guard cursor > start, cursor < line.count else { throw .badRequestLine }
    guard line[cursor] == ASCII.space else {
      throw line[cursor] == ASCII.carriageReturn || line[cursor] == ASCII.tab ? .badRequestLine : .badTarget
    }
    defer { cursor += 1 }
    return Array(UnsafeRawBufferPointer(rebasing: line[start..<cursor]))
  }

  /// Exactly `HTTP/D.D` and CRLF; any 1.x is 1.1 or 1.0 (RFC 9110 §2.5), other majors are not ours.
  private static func parseVersion(
    _ line: UnsafeRawBufferPointer, _ cursor: inout Int
  ) throws(HTTPParseError) -> HTTPVersion {
    let name: StaticString = "HTTP/"
    guard cursor + 10 <= line.count else { throw .badRequestLine }
    for index in 0..<5 where line[cursor + index] != name.utf8Start[index] { throw .badRequestLine }
    let (major, minor) = (line[cursor + 5], line[cursor + 7])
    guard ASCII.isDigit(major), line[cursor + 6] == UInt8(ascii: "."), ASCII.isDigit(minor),
      line[cursor + 8] == ASCII.carriageReturn, line[cursor + 9] == ASCII.lineFeed
    else { throw .badRequestLine }
    guard major == UInt8(ascii: "1") else { throw .unsupportedVersion }
    cursor += 10
    return minor == UInt8(ascii: "0") ? .http10 : .http11
  }
}

/// The four forms of a request target (RFC 9112 §3.2), reduced to origin form.
package enum RequestTarget {
  /// Any byte but blanks, control characters and `#`. RFC 3986 allows fewer, but browsers and HTTP libraries send
  /// `"<>\^`{|}` and UTF-8 as they are, and only blanks and line ends delimit a request line. nginx and HAProxy pass
  /// the same bytes.
  package static func isAllowed(_ byte: UInt8) -> Bool { isVisible(byte) && byte != UInt8(ascii: "#") }

  /// Whether a byte can stand in a request line without ending its part of it (RFC 9112 §3).
  package static func isVisible(_ byte: UInt8) -> Bool { byte > 0x20 && byte != 0x7F }

  /// A target as text: a byte that is no part of UTF-8 text is percent-encoded.
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
    return (originForm, Authority.withoutEmptyPort(rest[..<end]))
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
    hostEnd(text).map { $0 + 1 < text.endIndex } ?? false
  }

  /// A valid authority in its shortest form: an empty port means the default one (RFC 3986 §3.2.3).
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
    if digits.isEmpty { return true }
    guard digits.count <= 5, digits.allSatisfy(ASCII.isDigit) else { return false }
    let value = digits.reduce(0) { $0 * 10 + Int($1 & 0x0F) }
    return value > 0 && value <= 65535
  }
}
