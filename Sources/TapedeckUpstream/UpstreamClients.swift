public import TapedeckSockets

/// The clients of one event loop: one for each origin that it asks. Belongs to the loop's thread.
public final class UpstreamClients {
  private let loop: EventLoop
  private let configure: (UpstreamOrigin) throws -> UpstreamConfiguration
  private var clients: [UpstreamOrigin: UpstreamClient] = [:]

  /// Above this number, clients without an exchange are dropped with their idle connections.
  private static let keptClients = 256

  /// - Parameter configure: tells how an origin is reached.
  public init(loop: EventLoop, configure: @escaping (UpstreamOrigin) throws -> UpstreamConfiguration) {
    self.loop = loop
    self.configure = configure
  }

  /// Throws when the origin cannot be asked, or not by a client.
  public func client(for origin: UpstreamOrigin) throws -> UpstreamClient {
    if let client = clients[origin] { return client }
    if clients.count >= Self.keptClients { clients = clients.filter { !$0.value.isIdle } }
    let client = try UpstreamClient(configuration: try configure(origin), loop: loop)
    clients[origin] = client
    return client
  }
}
