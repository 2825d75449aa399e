/// An origin: scheme, host and port (RFC 9110 §4.3.1).
package struct HTTPOrigin: Sendable, Hashable {
  package let scheme: HTTPScheme
  /// In lower case; an IPv6 address in brackets.
  package let host: String
  package let port: UInt16

  /// - Parameter authority: `host[:port]`, as in `Host`; anything else gives `nil`, and so does a host that is neither a
  ///   name nor an address.
  package init?(_ scheme: HTTPScheme, authority: [UInt8]) {
    guard RequestTarget.isAuthority(authority[...]) else { return nil }
    let (host, port) = Self.split(authority)
    guard host.allSatisfy({ ASCII.isWord($0) || ".:[]".utf8.contains($0) }) else { return nil }
    self.scheme = scheme
    self.host = String(decoding: host.lazy.map(ASCII.lowercased), as: UTF8.self)
    self.port = port ?? scheme.defaultPort
  }

  /// Reads `https://api.example.com:8443`; `nil` for a URL with a path or user information.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    for scheme in [HTTPScheme.http, .https] {
      let start = Array("\(scheme.rawValue)://".utf8)
      guard bytes.prefix(start.count).map(ASCII.lowercased) == start else { continue }
      self.init(scheme, authority: Array(bytes.dropFirst(start.count)))
      return
    }
    return nil
  }

  /// `host[:port]`, without the scheme's own port.
  package var authority: String { port == scheme.defaultPort ? host : "\(host):\(port)" }

  /// The host of a valid authority, and its port if there is one.
  package static func split(_ authority: [UInt8]) -> (host: ArraySlice<UInt8>, port: UInt16?) {
    let start = authority.first == UInt8(ascii: "[") ? authority.firstIndex(of: UInt8(ascii: "]")) ?? 0 : 0
    guard let colon = authority[start...].firstIndex(of: ASCII.colon) else { return (authority[...], nil) }
    let digits = authority[(colon + 1)...]
    let port = digits.reduce(0) { ($0 &* 10 &+ Int($1 & 0x0F)) & 0xFFFFF }
    return (authority[..<colon], digits.isEmpty ? nil : UInt16(truncatingIfNeeded: port))
  }
}

extension HTTPOrigin: CustomStringConvertible {
  /// `https://api.example.com`, in the shortest form.
  package var description: String { "\(scheme.rawValue)://\(authority)" }
}

extension HTTPRequest {
  /// The origin that `scheme` and `authority` name; `nil` if the authority is empty or malformed.
  package var origin: HTTPOrigin? { HTTPOrigin(scheme, authority: authority) }

  /// Makes the request one that names its origin.
  package mutating func name(_ origin: HTTPOrigin) { head.name(origin) }
}

extension HTTPRequestHead {
  package mutating func name(_ origin: HTTPOrigin) {
    (scheme, authority, namesOrigin) = (origin.scheme, Array(origin.authority.utf8), true)
  }
}
