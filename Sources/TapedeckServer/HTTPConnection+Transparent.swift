internal import TapedeckHTTP
internal import TapedeckSockets

/// Where a client wanted to go that was led to us instead of being told to ask us.
struct TransparentOrigin {
  /// `HOST:PORT`.
  let authority: [UInt8]
  let network: IsolatedNetwork

  /// What the client would have asked a proxy for. The connection serves nothing else if that is refused.
  var request: HTTPRequest {
    var request = HTTPRequest(
      method: .connect, target: authority, authority: authority, keepsAlive: false)
    request.namesOrigin = true
    return request
  }
}

/// Connections whose clients do not know of us: served as if they had asked for a tunnel, without the response to CONNECT.
extension HTTPConnection {
  func begin(_ transparent: TransparentOrigin) {
    self.transparent = transparent
    opensSilently = true
    respond(to: transparent.request)
    turnEnded()
  }

  /// Refuses a client whose first byte begins neither TLS nor a request line. Returns whether it does.
  func refusesForeign(_ first: UInt8) -> Bool {
    guard let transparent, intercepted != nil, tls == nil else { return false }
    // Methods are tokens, and those in use are letters (RFC 9110 §9.1). Empty lines may stand before (RFC 9112 §2.2).
    guard !ASCII.isAlphanumeric(first), first != 0x0D, first != 0x0A else { return false }
    refuseForeign(transparent)
    return true
  }

  private func refuseForeign(_ transparent: TransparentOrigin) {
    transparent.network.noteForeign(transparent.authority)
    close(wasCutShort: true)
  }

  /// How long a client may say nothing where it may well wait for the server to speak first, as in SMTP or MySQL.
  static let silenceMilliseconds = 3_000

  /// Whether the client has said nothing yet, at a port that is not one of the web.
  var awaitsServer: Bool {
    guard let transparent, streamStart != nil, intercepted != nil else { return false }
    return ![":80", ":443"].contains { transparent.authority.suffix($0.utf8.count).elementsEqual($0.utf8) }
  }

  /// Refuses a client that waits for the server. Returns whether it does.
  func refusesSilence() -> Bool {
    guard awaitsServer, let transparent else { return false }
    refuseForeign(transparent)
    return true
  }
}
