internal import CSystem
internal import Glibc

/// A host, numeric or to be looked up, and a port; or the path of a unix socket.
public struct SocketAddress: Sendable, Equatable, CustomStringConvertible {
  public var host: String
  public var port: UInt16
  /// The path of a unix socket; host and port mean nothing then.
  public private(set) var path: String?

  public init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// What `sockaddr_un` holds, with its final zero.
  package static let maximumPathBytes = 107
  private static let unixScheme = "unix:"

  /// Reads `HOST:PORT`, `[IPv6]:PORT` or `unix:PATH`; `nil` for anything else.
  public init?(_ text: String) {
    if text.hasPrefix(Self.unixScheme) {
      let path = String(text.dropFirst(Self.unixScheme.count))
      guard (1...Self.maximumPathBytes).contains(path.utf8.count), !path.utf8.contains(0) else { return nil }
      self.init(host: "localhost", port: 0)
      self.path = path
      return
    }
    let bytes = Array(text.utf8)
    let brackets = bytes.first == UInt8(ascii: "[") ? 1 : 0
    guard let end = bytes.firstIndex(of: brackets == 1 ? UInt8(ascii: "]") : UInt8(ascii: ":")),
      end > brackets, let port = Self.port(after: bytes[(end + brackets)...])
    else { return nil }
    self.init(host: String(decoding: bytes[brackets..<end], as: UTF8.self), port: port)
  }

  private static func port(after text: ArraySlice<UInt8>) -> UInt16? {
    let digits = text.dropFirst()
    guard text.first == UInt8(ascii: ":"), (1...5).contains(digits.count),
      digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 })
    else { return nil }
    return UInt16(exactly: digits.reduce(0) { $0 * 10 + Int($1 & 0x0F) })
  }

  /// As in a URL, with IPv6 addresses in brackets.
  public var description: String {
    if let path { return Self.unixScheme + path }
    return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }

  /// Whether only this machine can reach it.
  public var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }
}

extension SocketAddress {
  /// Whether a connection to this address reaches a listener on `listening`, under whatever name; detects a
  /// proxy that is its own origin. Looks names up, so it may block.
  public func reaches(listening: SocketAddress) -> Bool {
    guard path == nil, listening.path == nil, port == listening.port else { return false }
    let bound = IPAddress.all(of: listening.host)
    return IPAddress.all(of: host).contains { address in
      // The unspecified address connects to this machine.
      let target = address.isUnspecified ? IPAddress.loopback(like: address) : address
      return bound.contains { $0 == target || ($0.isUnspecified && target.isLocal) }
    }
  }
}

/// An address in IPv6 form; IPv4 is mapped into it (RFC 4291 §2.5.5.2).
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

  /// Whether it belongs to this machine: the kernel binds only to such an address.
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
    // The address follows family and port, in sockaddr_in6 also the flow label.
    switch (info.ai_family, raw.count) {
    case (AF_INET, 8...): bytes = Self.mappedPrefix + raw[4..<8]
    case (AF_INET6, 24...): bytes = Array(raw[8..<24])
    default: return nil
    }
  }
}

/// A kernel call that failed.
public struct SocketError: Error, Equatable, Sendable, CustomStringConvertible {
  public let call: String
  public let code: Int32
  /// The call's argument, for messages: for example an address.
  public let subject: String?

  init(_ call: String, subject: String? = nil) { self.init(call, code: errno, subject: subject) }

  init(_ call: String, code: Int32, subject: String? = nil) {
    self.call = call
    self.code = code
    self.subject = subject
  }

  public var isAddressInUse: Bool { code == EADDRINUSE }
  public var isPermissionDenied: Bool { code == EACCES }

  public var description: String {
    "\(call)\(subject.map { " \($0)" } ?? ""): \(String(cString: strerror(code)))"
  }
}
