internal import CSSL
internal import Synchronization

/// Makes certificates for the names that clients ask for, on a thread of its own. They share one key, and are kept
/// until they are about to expire.
package final class CertificateAuthority: CertificateSource {
  private struct Leaves {
    struct Leaf {
      var certificate: ServerCertificate
      var expires: Int
      var lastUse: Int
    }

    var known: [ServerName: Leaf] = [:]
    var waiting: [ServerName: [@Sendable () -> Void]] = [:]
    var uses = 0
  }

  private let certificate: X509Certificate
  private let key: PrivateKey
  private let leafKey: PrivateKey
  private let domains: [ServerName]
  private let expires: Int
  private let leaves = Mutex(Leaves())
  private let thread: EventLoopThread

  private static let maxLeaves = 2_000
  private static let leafSeconds = 7 * 86_400
  /// A leaf is made anew when it has less time left, unless the authority has.
  private static let renewalSeconds = 86_400

  /// Makes an authority of its own, which nobody else has.
  /// - Parameter domains: the names to which the certificate constrains it, with all below them; none for any name.
  package convenience init(domains: [ServerName] = [], days: Int = 90) throws(TLSError) {
    let key = try PrivateKey()
    try self.init(try CertificateRequest.authority(key, domains: domains, days: days), key)
  }

  /// - Parameter files: what certificate and key are called in errors.
  package convenience init(
    certificatePEM: [UInt8], keyPEM: [UInt8], files: (certificate: String, key: String)
  ) throws(TLSError) {
    let certificate = try X509Certificate.all(inPEM: certificatePEM, file: files.certificate)[0]
    let key = try PrivateKey(pem: keyPEM, file: files.key)
    guard X509_check_private_key(certificate.pointer, key.pointer) == 1 else {
      throw TLSError("\(files.key) is not the key of \(files.certificate)")
    }
    guard X509_check_ca(certificate.pointer) == 1 else {
      throw TLSError("\(files.certificate) is no authority's")
    }
    guard certificate.expires > Self.now else {
      throw TLSError("\(files.certificate) has expired; make a new one with: tapedeck ca rotate")
    }
    try self.init(certificate, key)
  }

  private init(_ certificate: X509Certificate, _ key: PrivateKey) throws(TLSError) {
    self.certificate = certificate
    self.key = key
    domains = certificate.permittedNames
    expires = certificate.expires
    leafKey = try PrivateKey()
    do { thread = try EventLoopThread { _ in } } catch {
      throw TLSError("cannot start the thread that makes certificates: \(error)")
    }
  }

  deinit { thread.end() }

  /// What clients have to trust.
  package var certificatePEM: [UInt8] { certificate.pem }
  /// For the file that stores it, and nothing else.
  package var keyPEM: [UInt8] { key.pem }

  // MARK: Leaves

  package func refusal(of name: ServerName) -> String? {
    guard expires > Self.now else {
      return "the authority's certificate has expired; make a new one with: tapedeck ca rotate"
    }
    guard domains.isEmpty || domains.contains(where: name.isBelow) else {
      return
        "it asks for \(name), and the authority may certify \(domains.map(\.description).joined(separator: ", ")) only"
    }
    return nil
  }

  private static var now: Int { WallClock.now / 1000 }

  package func certificate(for name: ServerName) -> ServerCertificate? {
    let now = Self.now
    return leaves.withLock { leaves in
      guard let leaf = leaves.known[name], leaf.expires > min(now + Self.renewalSeconds, expires - 1)
      else { return nil }
      leaves.uses += 1
      leaves.known[name]?.lastUse = leaves.uses
      return leaf.certificate
    }
  }

  package func prepare(_ name: ServerName, then done: @escaping @Sendable () -> Void) {
    let isFirst = leaves.withLock { leaves in
      leaves.waiting[name, default: []].append(done)
      return leaves.waiting[name]?.count == 1
    }
    if isFirst { thread.mailbox.post { self.make(name) } }
  }

  private func make(_ name: ServerName) {
    let expires = min(Self.now + Self.leafSeconds, expires)
    let leaf = try? CertificateRequest.leaf(
      name, leafKey, issuer: (certificate, key), seconds: expires - Self.now)
    let waiting = leaves.withLock { leaves in
      if let leaf {
        leaves.uses += 1
        leaves.known[name] = Leaves.Leaf(
          certificate: ServerCertificate(leaf, chain: [], key: leafKey), expires: expires,
          lastUse: leaves.uses)
      }
      Self.forgetOldest(&leaves)
      return leaves.waiting.removeValue(forKey: name) ?? []
    }
    for done in waiting { done() }
  }

  /// Forgets many at once, so that a flood of names does not sort for each.
  private static func forgetOldest(_ leaves: inout Leaves) {
    guard leaves.known.count > maxLeaves else { return }
    let uses = leaves.known.values.map(\.lastUse).sorted()
    let oldest = uses[maxLeaves / 8]
    leaves.known = leaves.known.filter { $0.value.lastUse > oldest }
  }
}
