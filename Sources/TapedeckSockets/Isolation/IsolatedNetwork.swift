internal import CSystem
internal import Glibc
internal import Synchronization

/// The network of a command that runs in namespaces of its own, as far as this process serves it: the listeners on all
/// addresses but loopback, and the names of those addresses.
package final class IsolatedNetwork: Sendable {
  package let listeners: [Listener]
  /// Whether connections to every port are served.
  package let hasAllPorts: Bool
  private let names = NameTable()
  private let nameServer: NameServer
  /// Ports of its loopback that are those of ours.
  private let shares: Set<UInt16>
  private let reached = Mutex(ReachTable())
  /// The inode of its namespace.
  private let namespace: ino_t?

  /// How often an origin was connected to.
  package struct Reach: Sendable, Equatable {
    /// `HOST:PORT`.
    package let authority: String
    package fileprivate(set) var connections = 0
    /// Whether what came was neither HTTP nor TLS.
    package fileprivate(set) var isForeign = false
  }

  private struct ReachTable {
    /// Far above what tests reach for; a scan of ports would fill the memory.
    static let capacity = 10_000
    var origins: [String: Reach] = [:]
    var unlistedConnections = 0
  }

  /// - Parameter network: its sockets belong to this one, also when this throws.
  init(_ network: td_isolated_network, shares: [UInt16]) throws(SocketError) {
    self.shares = Set(shares)
    hasAllPorts = network.has_all_ports != 0
    let sockets = withUnsafeBytes(of: network.sockets) {
      Array($0.bindMemory(to: Int32.self).prefix(Int(network.count)))
    }
    let inode = td_network_namespace(sockets[0])
    namespace = inode == 0 ? nil : inode
    let listening = sockets.dropFirst().map { Listener(adopting: $0) }
    listeners = Array(listening.dropFirst())
    nameServer = try NameServer(names, datagrams: sockets[0], listener: listening[0])
  }

  /// Ends the names; the listeners are those of the server that has them.
  package func stop() { nameServer.stop() }

  /// Where the client of an accepted connection wanted to go, as `HOST:PORT`; `nil` for loopback at a port that is not
  /// shared, where we serve nothing.
  package func destination(of socket: StreamSocket) -> [UInt8]? {
    var address = [UInt8](repeating: 0, count: 16)
    var port: UInt16 = 0
    guard td_destination(socket.descriptor, &address, &port) == 0 else { return nil }
    let shared = shares.contains(port) ? Array("127.0.0.1".utf8) : nil
    guard let host = host(of: address) ?? shared else { return nil }
    let authority = host + Array(":\(port)".utf8)
    note(authority) { $0.connections += 1 }
    return authority
  }

  /// Notes that a client spoke something else than HTTP or TLS.
  package func noteForeign(_ authority: [UInt8]) { note(authority) { $0.isForeign = true } }

  private func note(_ authority: [UInt8], _ change: (inout Reach) -> Void) {
    let text = String(decoding: authority, as: UTF8.self)
    reached.withLock { reached in
      var reach = reached.origins[text] ?? Reach(authority: text)
      let before = reach.connections
      change(&reach)
      if reached.origins.count < ReachTable.capacity || reached.origins[text] != nil {
        reached.origins[text] = reach
      } else {
        reached.unlistedConnections += reach.connections - before
      }
    }
  }

  /// The origins that were connected to, in the order of their names.
  package var reachedOrigins: [Reach] {
    reached.withLock { $0.origins.values.sorted { $0.authority < $1.authority } }
  }

  /// Connections to origins beyond those that are listed.
  package var unlistedConnections: Int { reached.withLock { $0.unlistedConnections } }

  /// The processes in it, as `NAME (PID)`, as far as this user may see them.
  package var processes: [String] {
    guard let namespace, let folder = opendir("/proc") else { return [] }
    defer { closedir(folder) }
    var found: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { $0.prefix { $0 != 0 } }
      var status = stat()
      guard let pid = Int(String(decoding: name, as: UTF8.self)), stat("/proc/\(pid)/ns/net", &status) == 0,
        status.st_ino == namespace
      else { continue }
      let command = (try? FileContents.read("/proc/\(pid)/comm", mayBePipe: false)) ?? []
      found.append("\(String(decoding: command.prefix { $0 != 0x0A }, as: UTF8.self)) (\(pid))")
    }
    return found
  }

  /// The names that were looked up, and not connected to at any port that is served.
  package var unreachedNames: [String] {
    let hosts = Set(reachedOrigins.map { $0.authority.prefix { $0 != ":" } })
    return names.names.map { String(decoding: $0, as: UTF8.self) }.filter { !hosts.contains($0[...]) }
  }

  /// A name, or the address itself, an IPv6 one in brackets.
  private func host(of address: [UInt8]) -> [UInt8]? {
    guard address.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]) else {
      guard address != [UInt8](repeating: 0, count: 15) + [1] else { return nil }
      var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
      guard inet_ntop(AF_INET6, address, &text, socklen_t(text.count)) != nil else { return nil }
      let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      return [UInt8(ascii: "[")] + bytes + [UInt8(ascii: "]")]
    }
    guard address[12] != 127 else { return nil }
    let number = address[12...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return names.name(of: number) ?? Array(address[12...].map(String.init).joined(separator: ".").utf8)
  }
}
