internal import CCurl
internal import Glibc

/// Why no connection could be made.
extension CurlHandle {
  /// Why there is no connection.
  func failure(_ code: CURLcode) -> UpstreamFailure {
    var evidence = ConnectEvidence(origin: configuration.origin, code: code)
    evidence.text = String(cString: errorText)
    var systemError = 0
    _ = td_easy_get_long(easy, CURLINFO_OS_ERRNO, &systemError)
    evidence.systemError = socketError == 0 ? Int32(truncatingIfNeeded: systemError) : socketError
    var lookup: curl_off_t = 0
    _ = td_easy_get_size(easy, CURLINFO_NAMELOOKUP_TIME_T, &lookup)
    evidence.isResolved = lookup > 0
    evidence.patienceMilliseconds = configuration.timeouts.connectMilliseconds
    evidence.certificateNames = certificateNames
    return UpstreamFailure(evidence)
  }

  /// Lets libcurl keep the certificate of the next attempt. False when it does so already, or when the certificate is
  /// not for another host. A certificate is kept only on demand because it takes several KiB.
  func keepsCertificate(after code: CURLcode) -> Bool {
    guard code == CURLE_PEER_FAILED_VERIFICATION, !isKeepingCertificate,
      ConnectEvidence.namesAnotherHost(String(cString: errorText))
    else { return false }
    isKeepingCertificate = td_easy_set_long(easy, CURLOPT_CERTINFO, 1) == CURLE_OK
    return isKeepingCertificate
  }

  /// For whom the origin's certificate was issued, like `DNS:example.com, IP Address:10.0.0.1`; empty where unknown.
  private var certificateNames: String {
    var pointer: UnsafeMutableRawPointer?
    guard isKeepingCertificate, td_easy_get_pointer(easy, CURLINFO_CERTINFO, &pointer) == CURLE_OK,
      let info = pointer?.assumingMemoryBound(to: curl_certinfo.self).pointee, info.num_of_certs > 0
    else { return "" }
    // The origin's own comes first, those of its issuers behind it.
    var (subject, alternatives) = ("", "")
    var next = info.certinfo[0]
    while let line = next?.pointee {
      let text = line.data.map { String(cString: $0) } ?? ""
      if text.hasPrefix("Subject:") { subject = String(text.dropFirst("Subject:".count)) }
      let name = "X509v3 Subject Alternative Name:"
      if text.hasPrefix(name) { alternatives = String(text.dropFirst(name.count)) }
      next = line.next
    }
    return alternatives.isEmpty ? subject : alternatives
  }
}
