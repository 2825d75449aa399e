internal import Synchronization
internal import TapedeckHTTP
public import TapedeckProxy
internal import TapedeckServer
internal import TapedeckSockets

/// The admin API of a running proxy, on its own listener.
public final class AdminServer: Sendable {
  private let server: HTTPServer
  private let speaksTLS: Bool
  private let access = PageAccess()
  private static let maximumRequestBodyBytes = 8 << 20
  static let version = "1"

  /// Listens on 127.0.0.1 and serves.
  /// - Parameter port: 0 picks a free one.
  public convenience init(_ proxy: ProxyServer, port: Int, token: AdminToken) throws {
    guard let listener = AdminListener("127.0.0.1:\(port)") else {
      throw AdminError.cannotListen(port: port, problem: "the port does not exist")
    }
    try self.init(proxy, listener, token: token)
  }

  /// Listens and serves.
  /// - Parameter version: that of the command; `nil` in a program of the user's own.
  package init(
    _ proxy: ProxyServer, _ listener: AdminListener, token: AdminToken, version: String? = nil
  ) throws {
    speaksTLS = listener.speaksTLS
    let port = Int(listener.address.port)
    var configuration = ServerConfiguration()
    configuration.limits.bodyBytes = Self.maximumRequestBodyBytes
    configuration.maxConnections = 256
    if listener.speaksTLS { configuration.tls = try proxy.makeTLS(signedBy: listener.authority) }
    let access = access
    let gate = AdminGate(token: token, access: access, listener: listener)
    let chosen: HTTPServer
    do {
      chosen = try HTTPServer(
        address: listener.address, threads: 1, configuration: configuration,
        makeResponder: { loop in
          try AdminResponder(
            gate: gate, context: AdminContext(proxy: proxy, access: access, loop: loop), version: version)
        })
    } catch let error as SocketError {
      throw AdminError.cannotListen(port: port, problem: error.isAddressInUse ? "it is in use" : "\(error)")
    }
    server = chosen
    gate.listeningPort.store(Int(chosen.address.port), ordering: .releasing)
    proxy.reserve(chosen.address)
    proxy.measureLatency()
    if proxy.upstreamReaches(chosen.address) {
      chosen.stop(graceMilliseconds: 0)
      throw AdminError.upstreamIsAdmin(proxy.upstream ?? "")
    }
  }

  /// The port it listens on.
  public var port: Int { Int(server.address.port) }

  /// The base URL of the admin API.
  public var url: String { "\(speaksTLS ? "https" : "http")://\(server.address)/v1" }

  /// The URL of the inspector page, with a code that lets it in once, within five minutes.
  package func makePageURL() throws(AdminError) -> String {
    let base = url.dropLast("/v1".count)
    return "\(base)\(PageFile.folder)#code=\(try access.makeCode().text)"
  }

  /// Stops serving and returns. Call once.
  public func stop() {
    access.end()
    server.stop(graceMilliseconds: 1000)
  }
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
      "cannot listen on admin port \(port): \(problem); pick another with --admin-port N (0 finds a free one) or --admin-listen"
    case .upstreamIsAdmin(let url):
      "--upstream \(url) is the address of our own admin API; name the real origin, or pick another --admin-port"
    }
  }
}
