internal import Glibc

/// Addresses that a forward proxy does not connect to, so that nobody reaches through it what only this machine or its
/// cloud should reach, whatever name leads there.
package struct ProhibitedAddresses: Sendable {
  /// 169.254.0.0/16 and fe80::/10 (RFC 3927, RFC 4291 §2.5.6), and the other addresses at which clouds serve credentials
  /// to their machines.
  package var includesLinkLocal = false
  /// 127.0.0.0/8, ::1 and the unspecified addresses, which lead to this machine too.
  package var includesLoopback = false

  /// Ports of this process, on addresses that lead to this machine.
  package var ownPorts: Set<UInt16> = []

  package init() {}

  /// Why it is prohibited, and what the user can do, as the end of a sentence; `nil` for one that may be connected to.
  /// - Parameter socketAddress: a `sockaddr_in` or `sockaddr_in6`.
  func problem(with socketAddress: UnsafeRawBufferPointer, family: Int32, host: String) -> String? {
    guard includesLinkLocal || includesLoopback || !ownPorts.isEmpty else { return nil }
    // The address follows family and port, in sockaddr_in6 also the flow label.
    let kind: Kind? =
      switch (family, socketAddress.count) {
      case (AF_INET, 8...): Self.kind(ofIPv4: Array(socketAddress[4..<8]))
      case (AF_INET6, 24...): Self.kind(ofIPv6: Array(socketAddress[8..<24]))
      default: nil
      }
    guard let kind else { return nil }
    let port = UInt16(socketAddress[2]) << 8 | UInt16(socketAddress[3])
    if kind == .loopback, ownPorts.contains(port) {
      return "leads to a listener of this process on a loopback address, which is never served"
    }
    guard kind == .loopback ? includesLoopback : includesLinkLocal else { return nil }
    return "leads to a \(kind.rawValue) address, which is not served; --allow-hosts \(host) allows it"
  }

  private enum Kind: String {
    case linkLocal = "link-local"
    case metadata = "cloud metadata"
    case loopback
  }

  /// Of Alibaba, Azure and Oracle.
  private static let metadataIPv4: [[UInt8]] = [
    [100, 100, 100, 200], [168, 63, 129, 16], [192, 0, 0, 192],
  ]
  /// fd00:ec2::254 of AWS and fd20:ce::254 of Google.
  private static let metadataIPv6 = [[0xFD, 0, 0x0E, 0xC2], [0xFD, 0x20, 0, 0xCE]].map { (start: [UInt8]) in
    start + [UInt8](repeating: 0, count: 10) + [0x02, 0x54]
  }

  private static func kind(ofIPv4 bytes: [UInt8]) -> Kind? {
    if bytes[0] == 169, bytes[1] == 254 { return .linkLocal }
    if metadataIPv4.contains(bytes) { return .metadata }
    return bytes[0] == 127 || bytes == [0, 0, 0, 0] ? .loopback : nil
  }

  private static func kind(ofIPv6 bytes: [UInt8]) -> Kind? {
    if bytes[0] == 0xFE, bytes[1] & 0xC0 == 0x80 { return .linkLocal }
    if metadataIPv6.contains(bytes) { return .metadata }
    if bytes.dropLast().allSatisfy({ $0 == 0 }), bytes[15] <= 1 { return .loopback }
    return embeddedIPv4(bytes).flatMap(kind(ofIPv4:))
  }

  /// IPv4-compatible, -mapped and -translated addresses (RFC 4291 §2.5.5, RFC 2765 §2.1), and those of NAT64.
  private static let embeddingPrefixes: [[UInt8]] = [
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF],
    [0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0], [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0],
  ]

  /// The IPv4 address to which an IPv6 address may lead.
  private static func embeddedIPv4(_ bytes: [UInt8]) -> [UInt8]? {
    if bytes[0] == 0x20, bytes[1] == 0x02 { return Array(bytes[2..<6]) }  // 6to4, RFC 3056 §2
    return embeddingPrefixes.contains(Array(bytes[..<12])) ? Array(bytes[12...]) : nil
  }
}
