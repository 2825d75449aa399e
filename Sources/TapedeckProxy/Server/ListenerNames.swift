internal import Synchronization
internal import TapedeckSockets

/// By which names clients reach our listener. Its port is known only once it listens, which is after the responders
/// were made.
final class ListenerNames: Sendable {
  private struct Known {
    var names: [AuthorityName]
    var address: SocketAddress
  }

  private let known = Mutex<Known?>(nil)

  /// - Parameter host: as it was told where to listen.
  func set(_ address: SocketAddress, toldHost host: String) {
    let hosts = [host, address.host, "localhost", "127.0.0.1", "::1"]
    let names = hosts.map { host in
      AuthorityName(host: host.contains(":") ? "[\(host)]" : host.lowercased(), port: address.port)
    }
    known.withLock { $0 = Known(names: names, address: address) }
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
