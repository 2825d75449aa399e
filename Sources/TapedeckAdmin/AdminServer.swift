internal import Synchronization
internal import TapedeckHTTP
public import TapedeckProxy
internal import TapedeckServer
internal import TapedeckSockets

/// The admin API of a running proxy, on its own listener, which only this machine can reach.
public final class AdminServer: Sendable {
  private let server: HTTPServer
  private static let maximumRequestBodyBytes = 8 << 20
  static let version = "1"

  /// Listens on 127.0.0.1 and serves.
  /// - Parameter port: 0 picks a free one.
  public init(_ proxy: ProxyServer, port: Int, token: AdminToken) throws {
    var configuration = ServerConfiguration()
    configuration.limits.bodyBytes = Self.maximumRequestBodyBytes
    configuration.maxConnections = 256
    guard let address = SocketAddress("127.0.0.1:\(port)") else {
      throw AdminError.cannotListen(port: port, problem: "the port does not exist")
    }
    let gate = AdminGate(token: token)
    let chosen: HTTPServer
    do {
      chosen = try HTTPServer(
        address: address, threads: 1, configuration: configuration,
        makeResponder: { _ in try AdminResponder(gate: gate, proxy: proxy) })
    } catch let error as SocketError {
      throw AdminError.cannotListen(port: port, problem: error.isAddressInUse ? "it is in use" : "\(error)")
    }
    server = chosen
    gate.listeningPort.store(Int(chosen.address.port), ordering: .releasing)
    if proxy.upstreamReaches(chosen.address) {
      chosen.stop(graceMilliseconds: 0)
      throw AdminError.upstreamIsAdmin(proxy.upstream ?? "")
    }
  }

  /// The port it listens on.
  public var port: Int { Int(server.address.port) }

  /// The base URL of the admin API.
  public var url: String { "http://127.0.0.1:\(port)/v1" }

  /// Stops serving and returns. Call once.
  public func stop() { server.stop(graceMilliseconds: 1000) }
}

/// Why a proxy has no admin API. Each text says what to do.
public enum AdminError: Error, Equatable, Sendable, CustomStringConvertible {
  case badToken
  case cannotListen(port: Int, problem: String)
  case upstreamIsAdmin(String)

  public var description: String {
    switch self {
    case .badToken:
      "the admin token must be 16 to 256 visible ASCII characters; without --admin-token, a random one is made"
    case .cannotListen(let port, let problem):
      "cannot listen on admin port \(port): \(problem); pick another with --admin-port N (0 finds a free one)"
    case .upstreamIsAdmin(let url):
      "--upstream \(url) is the address of our own admin API; name the real origin, or pick another --admin-port"
    }
  }
}
