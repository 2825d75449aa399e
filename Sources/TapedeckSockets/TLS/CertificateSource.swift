/// Supplies the certificates of a TLS listener.
package protocol CertificateSource: AnyObject, Sendable {
  /// Why no client gets a certificate of this name; `nil` if it may.
  func refusal(of name: ServerName) -> String?
  /// The certificate, or `nil` if `prepare` has to make it first. Called on loops, so it must not wait.
  func certificate(for name: ServerName) -> ServerCertificate?
  /// Makes the certificate; calls `done` on any thread when `certificate(for:)` has it.
  func prepare(_ name: ServerName, then done: @escaping @Sendable () -> Void)
}

/// One certificate for whatever name a client asks for, as from PEM files.
package final class FixedCertificate: CertificateSource {
  private let certificate: ServerCertificate

  package init(_ certificate: ServerCertificate) { self.certificate = certificate }

  package func refusal(of name: ServerName) -> String? { nil }
  package func certificate(for name: ServerName) -> ServerCertificate? { certificate }
  package func prepare(_ name: ServerName, then done: @escaping @Sendable () -> Void) { done() }
}
