internal import TapedeckHTTP
public import TapedeckProxy
internal import TapedeckServer
internal import TapedeckSockets

/// The admin API of a running proxy, on a listener of its own that only this machine reaches.
public final class AdminServer: Sendable {
  private let server: HTTPServer
  /// Bodies of requests.
  private static let maximumBodyBytes = 8 << 20
  static let version = "1"

  /// Listens on 127.0.0.1 and serves.
  /// - Parameter port: 0 picks a free one.
  public init(_ proxy: ProxyServer, port: Int, token: AdminToken) throws {
    var configuration = ServerConfiguration()
    configuration.limits.bodyBytes = Self.maximumBodyBytes
    configuration.maxConnections = 256
    guard let address = SocketAddress("127.0.0.1:\(port)") else {
      throw AdminError.cannotListen(port: port, problem: "there is no such port")
    }
    let listening = ListeningPort()
    let chosen: HTTPServer
    do {
      chosen = try HTTPServer(
        address: address, threads: 1, configuration: configuration,
        makeResponder: { _ in
          try AdminResponder(gate: AdminGate(token: token, listening: listening), proxy: proxy)
        })
    } catch let error as SocketError {
      throw AdminError.cannotListen(port: port, problem: error.isAddressInUse ? "it is taken" : "\(error)")
    }
    server = chosen
    listening.set(Int(chosen.address.port))
    if proxy.upstreamReaches(chosen.address) {
      chosen.stop(graceMilliseconds: 0)
      throw AdminError.upstreamIsAdmin(proxy.upstream ?? "")
    }
  }
  /// The port it listens on.
  public var port: Int { Int(server.address.port) }

  /// The base URL of the admin API.
  public var url: String { "http://127.0.0.1:\(port)/v1" }

  /// Returns when nothing is answered any more. Call once.
  public func stop() { server.stop(graceMilliseconds: 1000) }
}
