internal import TapedeckProxy

extension ProxyConfiguration {
  private static let trustVariables = ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"]

  /// Trusts the authorities that the environment names to programs, unless an option names others.
  /// - Returns: what to tell the user; nothing if these are the system's.
  mutating func trustInheritedAuthorities(_ inherited: (String) -> String?) -> String? {
    guard caCertificate == nil, verifiesTLS,
      let name = Self.trustVariables.first(where: { inherited($0) != nil }), let file = inherited(name)
    else { return nil }
    guard TrustFiles.isReadable(file) else {
      return "\(name) names \(file), which cannot be read; origins are verified as without it"
    }
    caCertificate = file
    if TrustFiles.systemBundles.contains(file) { return nil }
    return "trusting \(file) for origins, as \(name) tells programs to; --cacert names another"
  }
}
