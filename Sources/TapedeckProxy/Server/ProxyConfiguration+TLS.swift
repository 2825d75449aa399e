internal import TapedeckSockets

extension ProxyConfiguration {
  /// What the listener speaks TLS with; `nil` if it speaks plain HTTP only.
  /// - Parameter authority: certifies the names that clients ask for, unless there is a fixed certificate.
  func tlsServer(_ authority: AuthorityPEM?) throws(ProxyError) -> TLSServer? {
    let refusals = NoticeOnce(notice)
    do throws(TLSError) {
      guard let source = try certificateSource(authority) else { return nil }
      return try TLSServer(source) { refusals.tell($0) }
    } catch {
      throw .badTLS("\(error)")
    }
  }

  /// Certifies the hosts of intercepted HTTPS: the user's own authority, or one of this run.
  func interceptingAuthority() throws -> AuthorityPEM {
    if let stored = try storedAuthority() { return stored }
    if verb != nil, verb != "run" {
      notice(
        "HTTPS is intercepted with an authority that ends with this run; tapedeck ca create keeps one that clients "
          + "can be told to trust")
    }
    return try AuthorityPEM(domains: [], days: Self.runDays)
  }

  /// A run is over by then.
  private static let runDays = 7

  private func certificateSource(_ authority: AuthorityPEM?) throws(TLSError) -> (any CertificateSource)? {
    if let tlsCertificate {
      let keyFile = tlsKey ?? tlsCertificate
      return FixedCertificate(
        try ServerCertificate(
          certificatePEM: try Self.contents(tlsCertificate), keyPEM: try Self.contents(keyFile),
          files: (tlsCertificate, keyFile)))
    }
    if let tlsKey {
      throw TLSError("the certificate of the key in \(tlsKey) is missing; name it with --tls-cert")
    }
    return try authority?.opened
  }

  private static func contents(_ path: String) throws(TLSError) -> [UInt8] {
    do { return try FileContents.read(path, mayBePipe: false) } catch {
      throw TLSError("cannot read \(path): \(error.text)")
    }
  }
}
