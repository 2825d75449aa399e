internal import Synchronization
internal import TapedeckHTTP
internal import TapedeckSockets
internal import TapedeckUpstream

/// Host and port as an absolute-form target names them, for comparing. Ports 80 and 443 are those that go without saying,
/// whatever the scheme: a client of an https origin speaks plain http to this proxy.
struct AuthorityName: Equatable, CustomStringConvertible {
  /// In lower case, an IPv6 address in brackets.
  let host: String
  /// `nil` for a default port.
  let port: UInt16?

  init(host: String, port: UInt16?) {
    self.host = host
    self.port = port == 80 || port == 443 ? nil : port
  }

  /// - Parameter authority: a valid one.
  init(_ authority: [UInt8]) {
    let (host, port) = HTTPOrigin.split(authority)
    self.init(host: String(decoding: host.lazy.map(ASCII.lowercased), as: UTF8.self), port: port)
  }

  init(_ origin: UpstreamOrigin) { self.init(unbracketed: origin.host, port: origin.port) }
  init(_ address: SocketAddress) { self.init(unbracketed: address.host.lowercased(), port: address.port) }

  private init(unbracketed host: String, port: UInt16) {
    self.init(host: host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host, port: port)
  }

  /// Whether another has its host, and its port unless that goes without saying.
  func isName(in other: AuthorityName) -> Bool { host == other.host && (port == nil || port == other.port) }

  var description: String { port.map { "\(host):\($0)" } ?? host }
}

/// By which names clients reach our listener. Its port is known only once it listens, which is after the responders
/// were made.
final class ListenerNames: Sendable {
  private let known = Mutex<(names: [AuthorityName], address: SocketAddress)?>(nil)

  /// - Parameter host: as it was told where to listen.
  func set(_ address: SocketAddress, toldHost host: String) {
    let hosts = [host, address.host, "localhost", "127.0.0.1", "::1"]
    let names = hosts.map { host in
      AuthorityName(host: host.contains(":") ? "[\(host)]" : host.lowercased(), port: address.port)
    }
    known.withLock { $0 = (names, address) }
  }

  private let reserved = Mutex<[SocketAddress]>([])

  /// Notes another listener of this process, which no client may reach through the proxy.
  func reserve(_ address: SocketAddress) { reserved.withLock { $0.append(address) } }

  /// Whether only this machine can reach it.
  var isLoopback: Bool { known.withLock { $0?.address.isLoopback } ?? true }

  /// The ports of this process on loopback addresses.
  var ownPorts: Set<UInt16> {
    let own = known.withLock { $0?.address.port }
    return reserved.withLock { Set($0.map(\.port) + [own].compactMap(\.self)) }
  }

  func contains(_ name: AuthorityName) -> Bool {
    guard let known = known.withLock({ $0 }) else { return false }
    return known.names.contains(name) || isLocalAddress(name, of: known.address)
  }

  /// Whether it is one of this machine's addresses, on all of which we may listen. Names are not looked up.
  private func isLocalAddress(_ name: AuthorityName, of listening: SocketAddress) -> Bool {
    let host = name.host.filter { $0 != "[" && $0 != "]" }
    let isNumeric = host.utf8.allSatisfy { "0123456789.".utf8.contains($0) } || name.host.hasPrefix("[")
    guard isNumeric else { return false }
    let isDefault = listening.port == 80 || listening.port == 443
    guard let port = name.port ?? (isDefault ? listening.port : nil) else { return false }
    return SocketAddress(host: host, port: port).reaches(listening: listening)
  }
}
