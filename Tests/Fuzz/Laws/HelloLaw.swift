import Glibc
import TapedeckSockets

/// The first bytes of a TLS client, as a whole session and as the parts that are read before OpenSSL reads them: the
/// same verdict however the bytes are cut, and never plaintext, since no handshake ends without an answer to ours.
enum HelloLaw {
  private static let server = Result { () throws(TLSError) in
    let authority = try CertificateAuthority()
    let certificate = try ServerCertificate(
      certificatePEM: authority.certificatePEM, keyPEM: authority.keyPEM)
    return try TLSServer(FixedCertificate(certificate))
  }

  static func check(_ input: [UInt8]) throws(BrokenLaw) {
    try checkParts(input)
    var verdicts: [Bool] = []
    for way in Pieces.ways(of: input) { verdicts.append(try isRefused(way)) }
    try require(Set(verdicts).count == 1, "the verdict depends on how the bytes are cut: \(verdicts)")
  }

  private static func checkParts(_ input: [UInt8]) throws(BrokenLaw) {
    if case .name(let name) = Pieces.lend(input[...], ClientHello.nameIndication) {
      try require(name[...] == input.dropFirst(5), "a name that is not the rest")
    }
    if let offset = Pieces.lend(input[...], ClientHello.offset(ofHTTP1In:)) {
      try require(input[offset...].starts(with: "http/1.1".utf8), "a protocol that is not there")
    }
    if let name = ServerName(String(decoding: input, as: UTF8.self)) {
      try require(ServerName("\(name)") == name, "\(name) is normalized twice")
    }
  }

  private static func isRefused(_ pieces: [ArraySlice<UInt8>]) throws(BrokenLaw) -> Bool {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0 else {
      throw BrokenLaw("no sockets")
    }
    defer { close(ends[1]) }
    let socket = StreamSocket(adopting: ends[0])
    let buffers = TLSBuffers()
    do throws(TLSError) {
      try socket.startTLS(
        try server.get(), buffers: buffers, expectedName: nil,
        received: UnsafeRawBufferPointer(start: nil, count: 0))
    } catch {
      throw BrokenLaw("\(error)")
    }
    var plaintext = [UInt8](repeating: 0, count: TLSBuffers.plaintextBytes)
    for piece in pieces {
      _ = Pieces.lend(piece) { StreamSocket.write(ends[1], $0) }
      repeat {
        if case .bytes = plaintext.withUnsafeMutableBytes({ socket.read(into: $0) }) {
          throw BrokenLaw("plaintext without a handshake")
        }
      } while socket.tls?.holdsInput == true
    }
    return socket.tls?.hasFailed == true
  }
}
