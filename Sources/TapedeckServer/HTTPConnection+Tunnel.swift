internal import TapedeckHTTP
internal import TapedeckSockets

/// What a CONNECT request said about the requests inside its tunnel, which is read like a connection of its own.
final class InterceptedTunnel {
  /// `host:port`, as CONNECT named it.
  private let authority: [UInt8]
  /// `Proxy-Authorization`, which holds for every request inside.
  private let authorization: HTTPField?

  init(_ request: HTTPRequest) {
    authority = request.authority
    authorization = request.fields.first { $0.isNamed("proxy-authorization") }
  }

  /// The host, for a client that names none in TLS.
  var serverName: ServerName? {
    let host = authority.prefix(upTo: authority.lastIndex(of: ASCII.colon) ?? authority.endIndex)
    return ServerName(String(decoding: host, as: UTF8.self))
  }

  /// A request inside the tunnel, with the origin that CONNECT named.
  func request(_ request: HTTPRequest) -> HTTPRequest {
    var request = request
    request.authority = authority
    request.namesOrigin = true
    if let authorization { request.fields.append(authorization) }
    return request
  }
}

extension HTTPConnection {
  /// Responds to CONNECT in the origin's place: what follows is read as a connection of its own.
  func intercept(_ request: HTTPRequest) {
    intercepted = InterceptedTunnel(request)
    parser = HTTP1RequestParser(heads: worker.headsInTunnels)
    if let tls = worker.configuration.tls {
      awaitFirstByte(StreamStart(tls: tls, expectedName: intercepted?.serverName))
    }
    if opensSilently {
      opensSilently = false
    } else {
      enqueue { $0 += HTTP1Serializer.connectionEstablished }
    }
  }

  /// A request with the origin that its connection says it is for.
  func placed(_ request: HTTPRequest) -> HTTPRequest {
    var placed = intercepted?.request(request) ?? request
    if intercepted != nil || !placed.namesOrigin { placed.scheme = tls == nil ? .http : .https }
    return placed
  }

  /// Lets the client's bytes flow to a tunnel from now on.
  func open(_ tunnel: any TunnelSource) {
    self.tunnel = tunnel
    tunnel.onRoom = { [unowned self] in
      feedTunnel()
      settle()
    }
  }

  /// Hands the client's bytes to the tunnel, as many as it takes, and the client's end after the last of them.
  func feedTunnel() {
    guard let tunnel, !held.isEmpty else { return }
    // Out of the way, since the tunnel may end the stream meanwhile.
    let input = held
    held = []
    let count = input.withUnsafeBytes { tunnel.take($0) }
    if count < input.count { held = input[count...] + held }
    if held.isEmpty, hasPeerClosed { tunnel.clientFinished() }
  }
}
