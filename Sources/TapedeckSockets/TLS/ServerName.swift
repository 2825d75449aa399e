internal import CSystem
internal import Glibc

/// The name of a server in a TLS handshake: a DNS name in lower case without a trailing dot, or an IP address.
package enum ServerName: Hashable, Sendable, CustomStringConvertible {
  case dns(String)
  /// Four or sixteen bytes.
  case address([UInt8])

  /// Normalizes a name from a client. `nil` for what is neither an address nor a name of letters, digits, hyphens and
  /// underscores, which are no part of a host name (RFC 952) but in use.
  package init?(_ text: String) {
    if let address = Self.address(text) {
      self = .address(address)
      return
    }
    let name = text.hasSuffix(".") ? text.dropLast() : text[...]
    guard (1...253).contains(name.utf8.count) else { return nil }
    let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard labels.allSatisfy({ (1...63).contains($0.count) && $0.allSatisfy(Self.isAllowed) }) else {
      return nil
    }
    self = .dns(name.lowercased())
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private static func address(_ text: String) -> [UInt8]? {
    let family = text.utf8.contains(UInt8(ascii: ":")) ? AF_INET6 : AF_INET
    let bare = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
    var bytes = [UInt8](repeating: 0, count: family == AF_INET6 ? 16 : 4)
    return inet_pton(family, bare, &bytes) == 1 ? bytes : nil
  }

  /// The address of this machine that the client connected to; `nil` for what is no IP connection.
  init?(localAddressOf descriptor: Int32) {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutableBytes(of: &storage) { bytes in
      getsockname(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
    }
    guard result == 0 else { return nil }
    // The address follows family and port, in sockaddr_in6 also the flow label.
    let bytes = withUnsafeBytes(of: storage) { Array($0.prefix(24)) }
    switch Int32(storage.ss_family) {
    case AF_INET: self = .address(Array(bytes[4..<8]))
    // An IPv4 client of an IPv6 socket (RFC 4291 §2.5.5.2).
    case AF_INET6 where bytes[8..<18].allSatisfy { $0 == 0 } && bytes[18...19] == [0xFF, 0xFF]:
      self = .address(Array(bytes[20..<24]))
    case AF_INET6: self = .address(Array(bytes[8..<24]))
    default: return nil
    }
  }

  package var description: String {
    guard case .address(let bytes) = self else {
      if case .dns(let name) = self { return name }
      return ""
    }
    var text = [CChar](repeating: 0, count: 64)
    inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
