internal import TapedeckHTTP

/// The parts of a URL as text (RFC 3986 §3), without Foundation.
struct URLText: Sendable, Equatable {
  /// In lower case; `nil` if absent.
  var scheme: String?
  /// In lower case; `[::1]` keeps its brackets. `nil` if absent.
  var host: String?
  var port: Int?
  /// Path and query as written, without the fragment.
  var target: String

  /// - Parameter mayLackScheme: whether `test.com/users` names a host, as in base URLs.
  init(_ text: String, mayLackScheme: Bool = false) {
    var rest = text.prefix { $0 != "#" }
    if let mark = rest.firstRange(of: "://") {
      scheme = rest[..<mark.lowerBound].lowercased()
      rest = rest[mark.upperBound...]
    } else if rest.hasPrefix("//") {
      rest = rest.dropFirst(2)
    } else if rest.hasPrefix("/") || rest.hasPrefix("?") || rest.isEmpty || !mayLackScheme {
      target = String(rest)
      return
    }
    let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
    target = String(rest[end...])
    (host, port) = Self.authority(rest[..<end])
  }

  static func authority(_ text: Substring) -> (host: String, port: Int?) {
    let place = text.lastIndex(of: "@").map { text[text.index(after: $0)...] } ?? text
    guard let colon = place.lastIndex(of: ":"), !place[colon...].contains("]"),
      let port = Int(place[place.index(after: colon)...])
    else { return ((place.hasSuffix(":") ? place.dropLast() : place).lowercased(), nil) }
    return (place[..<colon].lowercased(), port)
  }

  /// The port, or the default port of the scheme.
  var effectivePort: Int? {
    if let port { return port }
    switch scheme {
    case "http", "ws": return 80
    case "https", "wss": return 443
    default: return nil
    }
  }

  /// Resolves `relative` against `base` in the simple cases (RFC 3986 §5.2, without dot segments).
  static func resolve(_ relative: String, against base: String) -> String {
    if relative.firstRange(of: "://") != nil { return relative }
    if relative.isEmpty { return base }
    let start = base.firstRange(of: "://")?.upperBound ?? base.startIndex
    let path = base[start...].prefix { $0 != "?" && $0 != "#" }
    if relative.hasPrefix("/") {
      return base[..<(path.firstIndex(of: "/") ?? path.endIndex)] + relative
    }
    if relative.hasPrefix("?") || relative.hasPrefix("#") { return base[..<path.endIndex] + relative }
    guard let slash = path.lastIndex(of: "/") else { return "\(base[..<path.endIndex])/\(relative)" }
    return base[...slash] + relative
  }

  /// Encodes the bytes that are illegal in a request target as `%XX`; existing encoding stays.
  static func encodedTarget(_ target: String) -> [UInt8] {
    target.utf8.flatMap { isAllowed($0) ? [$0] : PercentCoding.encoded($0) }
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte < 0x7F && !"\"<>\\^`{}".utf8.contains(byte)
  }
}

package enum URLEncoding {
  /// Encodes all but the unreserved characters (RFC 3986 §2.3) as `%XX`.
  package static func encoded(_ text: String) -> String {
    let bytes = text.utf8.flatMap { isUnreserved($0) ? [$0] : PercentCoding.encoded($0) }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }
}
