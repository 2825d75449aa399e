internal import TapedeckSockets

/// The certificate and the private key of an authority, in PEM form.
package struct AuthorityPEM: Sendable {
  /// What clients have to trust.
  package let certificate: [UInt8]
  /// For the file that stores it, and nothing else.
  package let key: [UInt8]

  /// Throws a `ProxyError` for what is no authority or has expired.
  package init(certificate: [UInt8], key: [UInt8]) throws(ProxyError) {
    (self.certificate, self.key) = (certificate, key)
    do { _ = try opened } catch { throw .badTLS("\(error)") }
  }

  /// Makes a new authority.
  /// - Parameter domains: names or addresses to which its certificate constrains it; none for any name.
  package init(domains: [String] = [], days: Int = 90) throws(ProxyError) {
    var names: [ServerName] = []
    for domain in domains {
      guard let name = ServerName(domain.hasPrefix("*.") ? String(domain.dropFirst(2)) : domain) else {
        throw .badDomain(domain)
      }
      names.append(name)
    }
    do {
      let authority = try CertificateAuthority(domains: names, days: days)
      (certificate, key) = (authority.certificatePEM, authority.keyPEM)
    } catch {
      throw .badTLS("\(error)")
    }
  }

  var opened: CertificateAuthority {
    get throws(TLSError) {
      try CertificateAuthority(
        certificatePEM: certificate, keyPEM: key,
        files: ("the authority's certificate", "the authority's key"))
    }
  }
}
