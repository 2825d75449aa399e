/// A URL taken apart as text (RFC 3986 §3), without Foundation.
struct URLText: Sendable, Equatable {
  /// In lower case; nil when the text names none.
  var scheme: String?
  /// In lower case, without brackets' loss: `[::1]` keeps them. Nil when the text names none.
  var host: String?
  var port: Int?
  /// Path and query as they are written; no fragment.
  var target: String

  /// - Parameter mayLackScheme: whether `test.com/users` names a host, as base URLs may.
  init(_ text: String, mayLackScheme: Bool = false) {
    var rest = text.prefix { $0 != "#" }
    if let mark = rest.range(of: "://") {
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

  /// Host and port of an authority, without its user.
  static func authority(_ text: Substring) -> (host: String, port: Int?) {
    let place = text.lastIndex(of: "@").map { text[text.index(after: $0)...] } ?? text
    guard let colon = place.lastIndex(of: ":"), !place[colon...].contains("]"),
      let port = Int(place[place.index(after: colon)...])
    else { return ((place.hasSuffix(":") ? place.dropLast() : place).lowercased(), nil) }
    return (place[..<colon].lowercased(), port)
  }

  /// The port that is meant when none is written.
  var effectivePort: Int? {
    if let port { return port }
    switch scheme {
    case "http", "ws": return 80
    case "https", "wss": return 443
    default: return nil
    }
  }

  /// `relative` as seen from `base`, for the plain cases (RFC 3986 §5.2, without dot segments).
  static func resolve(_ relative: String, against base: String) -> String {
    if relative.range(of: "://") != nil { return relative }
    if relative.isEmpty { return base }
    let start = base.range(of: "://")?.upperBound ?? base.startIndex
    let path = base[start...].prefix { $0 != "?" && $0 != "#" }
    if relative.hasPrefix("/") {
      return base[..<(path.firstIndex(of: "/") ?? path.endIndex)] + relative
    }
    if relative.hasPrefix("?") || relative.hasPrefix("#") { return base[..<path.endIndex] + relative }
    guard let slash = path.lastIndex(of: "/") else { return "\(base[..<path.endIndex])/\(relative)" }
    return base[...slash] + relative
  }

  /// Bytes no request target may hold become `%XX`; what is encoded stays.
  static func encodedTarget(_ target: String) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    var out: [UInt8] = []
    for byte in target.utf8 {
      if isAllowed(byte) {
        out.append(byte)
      } else {
        out += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return out
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte < 0x7F && !"\"<>\\^`{}".utf8.contains(byte)
  }
}

extension Substring {
  /// Where `part` stands first.
  fileprivate func range(of part: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(part) { return start..<index(start, offsetBy: part.count) }
      start = index(after: start)
    }
    return nil
  }
}

extension String {
  fileprivate func range(of part: String) -> Range<Index>? { self[...].range(of: part) }
}

/// Percent-encoding for what goes into URLs.
package enum URLEncoding {
  /// All but the unreserved characters (RFC 3986 §2.3) become `%XX`.
  package static func encoded(_ text: String) -> String {
    var out = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        out.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        out += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return out
  }
}
