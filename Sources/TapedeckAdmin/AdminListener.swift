internal import TapedeckHTTP
package import TapedeckProxy
internal import TapedeckSockets

/// Where the admin API listens, and whether clients speak TLS with it.
package struct AdminListener: Sendable {
  let address: SocketAddress
  /// Whether only TLS is spoken, with the certificate of the proxy or one that `authority` signs.
  package var speaksTLS = false
  package var authority: AuthorityPEM?

  /// Whether only this machine can reach it. A name says nothing about that, not even `127.example.com`.
  package var isLoopback: Bool {
    let isNumeric = address.host.utf8.allSatisfy { ASCII.isDigit($0) || $0 == 0x2E || $0 == ASCII.colon }
    return address.isLoopback && (isNumeric || address.host == "localhost")
  }

  /// Reads `HOST:PORT`; `nil` for anything else. Port 0 picks a free one.
  package init?(_ text: String) {
    guard let address = SocketAddress(text), address.path == nil else { return nil }
    self.address = address
  }
}
