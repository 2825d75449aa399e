internal import CSSL

/// What a certificate says of its subject, before it is signed.
enum CertificateRequest {
  /// For the clocks of clients that are behind.
  private static let earlierSeconds = 3_600

  /// A self-signed authority (RFC 5280 §4.2).
  static func authority(_ key: PrivateKey, domains: [ServerName], days: Int) throws(TLSError)
    -> X509Certificate
  {
    let serial = randomBytes(16)
    let label = serial.prefix(3).map { hex($0) }.joined()
    let certificate = try unsigned("Tapedeck authority \(label)", serial, key, seconds: days * 86_400)
    X509_set_issuer_name(certificate.pointer, X509_get_subject_name(certificate.pointer))
    var extensions = [
      (NID_basic_constraints, "critical,CA:TRUE,pathlen:0"), (NID_key_usage, "critical,keyCertSign,cRLSign"),
      (NID_subject_key_identifier, "hash"),
    ]
    if !domains.isEmpty { extensions.append((NID_name_constraints, constraints(domains))) }
    return try sign(certificate, extensions, issuer: certificate, key)
  }

  /// A server's certificate for exactly one name.
  static func leaf(
    _ name: ServerName, _ key: PrivateKey, issuer: (certificate: X509Certificate, key: PrivateKey),
    seconds: Int
  ) throws(TLSError) -> X509Certificate {
    // A common name has 64 characters at most (RFC 5280, appendix A.1); that of an address would be taken for a domain
    // outside of name constraints.
    let text = "\(name)"
    let subject = name.isAddress || text.utf8.count > 64 ? "Tapedeck certificate" : text
    let certificate = try unsigned(subject, randomBytes(16), key, seconds: seconds)
    X509_set_issuer_name(certificate.pointer, X509_get_subject_name(issuer.certificate.pointer))
    let extensions = [
      (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
      (NID_ext_key_usage, "serverAuth"), (NID_subject_key_identifier, "hash"),
      (NID_authority_key_identifier, "keyid:always"),
      (NID_subject_alt_name, name.constraintText),
    ]
    return try sign(certificate, extensions, issuer: issuer.certificate, issuer.key)
  }

  /// RFC 5280 §4.2.1.10. A kind of name that is not listed would not be constrained.
  private static func constraints(_ domains: [ServerName]) -> String {
    var parts = domains.map { "permitted;\($0.constraintText)\($0.addressMask)" }
    // A name that cannot exist (RFC 6761 §6.4).
    if domains.allSatisfy(\.isAddress) { parts.append("permitted;DNS:invalid") }
    if !domains.contains(where: \.isAddress) {
      parts += ["excluded;IP:0.0.0.0/0.0.0.0", "excluded;IP:::/::"]
    }
    return "critical,\(parts.joined(separator: ","))"
  }

  private static func unsigned(
    _ commonName: String, _ serial: [UInt8], _ key: PrivateKey, seconds: Int
  ) throws(TLSError) -> X509Certificate {
    guard let pointer = X509_new() else { throw .openSSL("cannot make a certificate") }
    let certificate = X509Certificate(adopting: pointer)
    // RFC 5280 §4.1.2.2: positive.
    let number = BN_bin2bn([serial[0] & 0x7F | 0x40] + serial.dropFirst(), 16, nil)
    defer { BN_free(number) }
    BN_to_ASN1_INTEGER(number, X509_get_serialNumber(pointer))
    X509_set_version(pointer, 2)
    X509_gmtime_adj(X509_getm_notBefore(pointer), -earlierSeconds)
    X509_gmtime_adj(X509_getm_notAfter(pointer), seconds)
    X509_set_pubkey(pointer, key.pointer)
    X509_NAME_add_entry_by_NID(
      X509_get_subject_name(pointer), NID_commonName, MBSTRING_UTF8, commonName, -1, -1, 0)
    return certificate
  }

  private static func sign(
    _ certificate: X509Certificate, _ extensions: [(Int32, String)], issuer: X509Certificate,
    _ key: PrivateKey
  ) throws(TLSError) -> X509Certificate {
    var context = X509V3_CTX()
    X509V3_set_ctx(&context, issuer.pointer, certificate.pointer, nil, nil, 0)
    for (kind, value) in extensions {
      let made = X509V3_EXT_conf_nid(nil, &context, kind, value)
      defer { X509_EXTENSION_free(made) }
      guard let made, X509_add_ext(certificate.pointer, made, -1) == 1 else {
        throw .openSSL("cannot make a certificate with \(value)")
      }
    }
    guard X509_sign(certificate.pointer, key.pointer, EVP_sha256()) > 0 else {
      throw .openSSL("cannot sign a certificate")
    }
    return certificate
  }

  private static func randomBytes(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    RAND_bytes(&bytes, Int32(count))
    return bytes
  }

  private static func hex(_ byte: UInt8) -> String {
    let text = String(byte, radix: 16)
    return text.count == 1 ? "0\(text)" : text
  }
}

extension ServerName {
  fileprivate var constraintText: String { "\(isAddress ? "IP" : "DNS"):\(self)" }

  /// For name constraints, where an address is a network.
  fileprivate var addressMask: String {
    guard case .address(let bytes) = self else { return "" }
    return bytes.count == 4 ? "/255.255.255.255" : "/ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"
  }

  fileprivate var isAddress: Bool { if case .address = self { true } else { false } }

  /// Whether a constraint to `domain` allows this name (RFC 5280 §4.2.1.10).
  func isBelow(_ domain: ServerName) -> Bool {
    guard case .dns(let domain) = domain, case .dns(let name) = self else { return self == domain }
    return name == domain || name.hasSuffix(".\(domain)")
  }
}
