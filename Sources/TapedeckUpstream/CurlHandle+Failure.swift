internal import CCurl
internal import Glibc
internal import TapedeckHTTP

extension CurlHandle {
  func failure(_ code: CURLcode) -> UpstreamFailure {
    guard let prohibition else { return failureOfAttempt(code) }
    return UpstreamFailure(.prohibited, "\(origin) \(prohibition).")
  }

  private func failureOfAttempt(_ code: CURLcode) -> UpstreamFailure {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST where Self.isOutOfDescriptors:
      UpstreamFailure(.limitReached, "\(origin): \(String(cString: strerror(EMFILE))).")
    case CURLE_COULDNT_RESOLVE_HOST:
      UpstreamFailure(.dnsError, "The host name \(origin.host) could not be resolved. Is it spelled right?")
    case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY:
      // libcurl's text may quote the proxy's URL, which may contain a password.
      UpstreamFailure(.dnsError, "The proxy for \(origin) could not be used: see --upstream-proxy.")
    case CURLE_SSL_CERTPROBLEM:
      UpstreamFailure(
        .tlsCertificate, "\(origin): the client certificate could not be used: \(account(code)).")
    case CURLE_COULDNT_CONNECT: connecting(code)
    case CURLE_OPERATION_TIMEDOUT: timedOut
    case CURLE_SSL_CONNECT_ERROR: handshake(code)
    case CURLE_PEER_FAILED_VERIFICATION where namesAnotherHost: wrongHost
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CACERT_BADFILE,
      CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_PINNEDPUBKEYNOTMATCH:
      UpstreamFailure(
        .tlsCertificate,
        "\(origin): \(account(code)). If you trust its issuer, name the issuer's PEM file with --cacert.")
    case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING:
      UpstreamFailure(.terminated, "\(origin): \(account(code)).")
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY:
      UpstreamFailure(.protocolError, "\(origin): \(account(code)).")
    default: UpstreamFailure(.internalError, "\(origin): \(account(code)).")
    }
  }

  private var origin: UpstreamOrigin { configuration.origin }

  /// libcurl's description of the attempt, or else of the code.
  private func account(_ code: CURLcode) -> String {
    errorText[0] == 0 ? Self.text(code) : String(cString: errorText)
  }

  /// Detects a lookup without a free descriptor, which libcurl reports as an unknown name.
  private static var isOutOfDescriptors: Bool {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    if descriptor >= 0 { close(descriptor) }
    return descriptor < 0
  }

  private func connecting(_ code: CURLcode) -> UpstreamFailure {
    let error = systemError
    let detail = "\(origin): \(error == 0 ? account(code) : String(cString: strerror(error)))."
    switch error {
    // EINVAL and EACCES also mean a `blackhole` or `prohibit` route.
    case ENETUNREACH, EHOSTUNREACH, EINVAL, EACCES, EPERM: return UpstreamFailure(.unroutable, detail)
    case EMFILE, ENFILE, EADDRNOTAVAIL, ENOBUFS, ENOMEM: return UpstreamFailure(.limitReached, detail)
    case ETIMEDOUT: return UpstreamFailure(.connectTimeout, detail)
    // The connection was accepted, then reset before the request was sent.
    case ECONNRESET, ECONNABORTED, EPIPE: return UpstreamFailure(.terminated, detail)
    default: return UpstreamFailure(.refused, "\(detail) Is the origin running, and is the port right?")
    }
  }

  private var systemError: Int32 {
    guard socketError == 0 else { return socketError }
    var error = 0
    _ = td_easy_get_long(easy, CURLINFO_OS_ERRNO, &error)
    return Int32(truncatingIfNeeded: error)
  }

  private var timedOut: UpstreamFailure {
    let limit = UpstreamFailure.limit(configuration.timeouts.connectMilliseconds, "--connect-timeout")
    var lookup: curl_off_t = 0
    _ = td_easy_get_size(easy, CURLINFO_NAMELOOKUP_TIME_T, &lookup)
    return lookup > 0
      ? UpstreamFailure(.connectTimeout, "\(origin): no connection within \(limit).")
      : UpstreamFailure(.dnsTimeout, "The lookup of \(origin.host) took longer than \(limit).")
  }

  private func handshake(_ code: CURLcode) -> UpstreamFailure {
    let reason = account(code)
    let detail = "\(origin): \(reason)."
    if reason.contains("alert") { return UpstreamFailure(.tlsAlert, detail) }
    // OpenSSL's errors for bytes that are not TLS.
    let noTLS = ["wrong version number", "packet length too long", "http request"]
    guard noTLS.contains(where: reason.contains) else { return UpstreamFailure(.tlsProtocol, detail) }
    let advice = "The port does not speak TLS; for plain http the origin is \(origin.withoutTLS)."
    return UpstreamFailure(.tlsProtocol, "\(detail) \(advice)")
  }
}

extension CurlHandle {
  private var wrongHost: UpstreamFailure {
    let names = certificateNames
    let whose = names.isEmpty ? String(cString: errorText) : "it names \(names)"
    return UpstreamFailure(
      .tlsCertificate,
      "\(origin): the certificate is not valid for the host name \(origin.host); \(whose). "
        + "Ask the origin by a name that its certificate has.")
  }

  private var namesAnotherHost: Bool { String(cString: errorText).contains("target host name") }

  /// Makes libcurl keep the certificate (several KiB) of the next attempt. Returns false when it already
  /// does, or when the certificate is not for another host.
  func keepsCertificate(after code: CURLcode) -> Bool {
    guard code == CURLE_PEER_FAILED_VERIFICATION, !isKeepingCertificate, namesAnotherHost else {
      return false
    }
    isKeepingCertificate = td_easy_set_long(easy, CURLOPT_CERTINFO, 1) == CURLE_OK
    return isKeepingCertificate
  }

  /// The names in the origin's certificate, like `DNS:example.com, IP Address:10.0.0.1`; empty when unknown.
  private var certificateNames: String {
    var pointer: UnsafeMutableRawPointer?
    guard isKeepingCertificate, td_easy_get_pointer(easy, CURLINFO_CERTINFO, &pointer) == CURLE_OK,
      let info = pointer?.assumingMemoryBound(to: curl_certinfo.self).pointee, info.num_of_certs > 0
    else { return "" }
    // The origin's own certificate comes first.
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
