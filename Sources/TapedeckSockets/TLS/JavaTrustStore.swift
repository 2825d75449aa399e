internal import CSSL

/// Certificates as a Java trust store, in the format that every Java reads (JKS): big-endian numbers, entries, and a
/// SHA-1 digest keyed by the password, which protects against accidents only.
package enum JavaTrustStore {
  /// - Parameter pem: PEM files; what is no certificate in them is left out, and so is what follows something damaged.
  package static func bytes(pem: [[UInt8]], password: String) -> [UInt8] {
    let certificates = pem.flatMap(X509Certificate.allDER)
    var out: [UInt8] = [0xFE, 0xED, 0xFE, 0xED]
    append(2, bytes: 4, to: &out)
    append(certificates.count, bytes: 4, to: &out)
    for (index, certificate) in certificates.enumerated() {
      append(2, bytes: 4, to: &out)
      append("authority-\(index)", to: &out)
      append(WallClock.now, bytes: 8, to: &out)
      append("X.509", to: &out)
      append(certificate.count, bytes: 4, to: &out)
      out += certificate
    }
    let key = password.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } + Array("Mighty Aphrodite".utf8)
    return out + sha1(key + out)
  }

  private static func append(_ value: Int, bytes count: Int, to out: inout [UInt8]) {
    for shift in (0..<count).reversed() { out.append(UInt8(truncatingIfNeeded: value >> (8 * shift))) }
  }

  private static func append(_ text: String, to out: inout [UInt8]) {
    append(text.utf8.count, bytes: 2, to: &out)
    out += text.utf8
  }

  private static func sha1(_ bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 20)
    EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha1(), nil)
    return digest
  }
}
