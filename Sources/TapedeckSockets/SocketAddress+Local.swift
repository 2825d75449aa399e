internal import CSystem
internal import Glibc

extension SocketAddress {
  /// Whether who connects here arrives at a listener on `listening`, under whatever name: this is for telling a loop
  /// before it turns. Looks names up, so it may block.
  public func reaches(listening: SocketAddress) -> Bool {
    guard port == listening.port else { return false }
    let bound = IPAddress.all(of: listening.host)
    return IPAddress.all(of: host).contains { address in
      // Connecting to the unspecified address means this machine.
      let target = address.isUnspecified ? IPAddress.loopback(like: address) : address
      return bound.contains { $0 == target || ($0.isUnspecified && target.isLocal) }
    }
  }
}

/// An address in the form of IPv6; IPv4 is mapped into it (RFC 4291 §2.5.5.2).
private struct IPAddress: Equatable {
  var bytes: [UInt8]

  private static let mappedPrefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]

  static func loopback(like address: IPAddress) -> IPAddress {
    address.isIPv4
      ? IPAddress(bytes: mappedPrefix + [127, 0, 0, 1])
      : IPAddress(bytes: [UInt8](repeating: 0, count: 15) + [1])
  }

  var isIPv4: Bool { bytes.starts(with: Self.mappedPrefix) }
  var isUnspecified: Bool { bytes.dropFirst(isIPv4 ? 12 : 0).allSatisfy { $0 == 0 } }

  /// Whether it belongs to this machine: the kernel lets nobody bind to an address that does not.
  var isLocal: Bool {
    let descriptor = socket(AF_INET6, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return isIPv4 && bytes[12] == 127 }
    defer { close(descriptor) }
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: bytes) }
    return withUnsafeBytes(of: &address) { raw in
      bind(descriptor, raw.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count)) == 0
    }
  }

  static func all(of host: String) -> [IPAddress] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    return sequence(first: list, next: { $0?.pointee.ai_next }).compactMap { $0 }.compactMap {
      IPAddress($0.pointee)
    }
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private init?(_ info: addrinfo) {
    let raw = UnsafeRawBufferPointer(start: info.ai_addr, count: Int(info.ai_addrlen))
    // The address stands behind family and port, in sockaddr_in6 also behind the flow.
    switch (info.ai_family, raw.count) {
    case (AF_INET, 8...): bytes = Self.mappedPrefix + raw[4..<8]
    case (AF_INET6, 24...): bytes = Array(raw[8..<24])
    default: return nil
    }
  }
}
