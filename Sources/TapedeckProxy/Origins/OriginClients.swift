internal import TapedeckHTTP
internal import TapedeckSockets
internal import TapedeckUpstream

/// The clients by which one loop asks origins.
final class OriginClients {
  /// The client of a proxy with one origin.
  private let single: UpstreamClient?
  private let clients: UpstreamClients

  /// - Parameter single: the only origin; `nil` where requests name theirs.
  init(
    _ single: UpstreamOrigin?, loop: EventLoop,
    configure: @escaping (UpstreamOrigin) throws -> UpstreamConfiguration
  ) throws {
    let clients = UpstreamClients(loop: loop, configure: configure)
    self.clients = clients
    self.single = try single.map { try clients.client(for: $0) }
  }

  /// The client for a request's origin.
  func client(for request: HTTPRequest) throws -> UpstreamClient {
    if let single { return single }
    guard let origin = request.origin else { throw UpstreamURLError.badHost(request.authorityText) }
    return try clients.client(for: UpstreamOrigin(origin))
  }

  /// A tunnel to what CONNECT names.
  func tunnel(for request: HTTPRequest) throws -> UpstreamTunnel {
    guard let origin = HTTPOrigin(.http, authority: request.authority) else {
      throw UpstreamURLError.badHost(request.authorityText)
    }
    return try clients.client(for: UpstreamOrigin(origin)).tunnel()
  }
}

extension HTTPRequest {
  fileprivate var authorityText: String { String(decoding: authority, as: UTF8.self) }
}
