internal import CCurl
internal import Glibc

/// What is known about a connection that libcurl could not make.
struct ConnectEvidence {
  var origin: UpstreamOrigin
  var code: CURLcode
  /// libcurl's own account; may be empty.
  var text = ""
  /// `errno` of the last failed connect.
  var systemError: Int32 = 0
  var isResolved = false
  var patienceMilliseconds = 0
  /// For whom the origin's certificate was issued; empty where unknown.
  var certificateNames = ""

  /// libcurl's account, else its general words for the code.
  var reason: String { text.isEmpty ? CurlLibrary.text(code) : text }

  /// Whether these are libcurl's words for a certificate of another host.
  static func namesAnotherHost(_ text: String) -> Bool { text.contains("target host name") }
}

extension UpstreamFailure {
  /// Reads libcurl's result as a cause.
  init(_ evidence: ConnectEvidence) {
    let origin = evidence.origin
    switch evidence.code {
    case CURLE_COULDNT_RESOLVE_HOST where Self.isOutOfDescriptors:
      self.init(.limitReached, "\(origin): \(String(cString: strerror(EMFILE))).")
    case CURLE_COULDNT_RESOLVE_HOST:
      self.init(.dnsError, "The host name \(origin.host) could not be resolved. Is it spelled right?")
    case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY:
      // libcurl's text may quote the proxy's URL, and that may hold a password.
      self.init(.dnsError, "The proxy that the environment names for \(origin) could not be used.")
    case CURLE_COULDNT_CONNECT: self = .connecting(evidence)
    case CURLE_OPERATION_TIMEDOUT: self = .timedOut(evidence)
    case CURLE_SSL_CONNECT_ERROR: self = .handshake(evidence)
    case CURLE_PEER_FAILED_VERIFICATION where ConnectEvidence.namesAnotherHost(evidence.reason):
      self = .namesAnotherHost(evidence)
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CACERT_BADFILE,
      CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_PINNEDPUBKEYNOTMATCH:
      self.init(
        .tlsCertificate,
        "\(origin): \(evidence.reason). If you trust its issuer, name the issuer's PEM file with --cacert.")
    case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING:
      self.init(.terminated, "\(origin): \(evidence.reason).")
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY:
      self.init(.protocolError, "\(origin): \(evidence.reason).")
    default: self.init(.internalError, "\(origin): \(evidence.reason).")
    }
  }

  /// A lookup that had no descriptor to ask with ends like one of an unknown name.
  private static var isOutOfDescriptors: Bool {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    if descriptor >= 0 { close(descriptor) }
    return descriptor < 0
  }

  private static func connecting(_ evidence: ConnectEvidence) -> UpstreamFailure {
    let code = evidence.systemError
    let why = code == 0 ? evidence.reason : String(cString: strerror(code))
    let detail = "\(evidence.origin): \(why)."
    switch code {
    // The kernel's words for a route that is `blackhole` or `prohibit`, too.
    case ENETUNREACH, EHOSTUNREACH, EINVAL, EACCES, EPERM: return UpstreamFailure(.unroutable, detail)
    case EMFILE, ENFILE, EADDRNOTAVAIL, ENOBUFS, ENOMEM: return UpstreamFailure(.limitReached, detail)
    case ETIMEDOUT: return UpstreamFailure(.connectTimeout, detail)
    // Accepted, and reset before the request could leave.
    case ECONNRESET, ECONNABORTED, EPIPE: return UpstreamFailure(.terminated, detail)
    default: return UpstreamFailure(.refused, "\(detail) Is the origin running, and is the port right?")
    }
  }

  private static func timedOut(_ evidence: ConnectEvidence) -> UpstreamFailure {
    let limit = Patience(evidence.patienceMilliseconds, option: "--connect-timeout")
    return evidence.isResolved
      ? UpstreamFailure(.connectTimeout, "\(evidence.origin): no connection within \(limit).")
      : UpstreamFailure(.dnsTimeout, "The lookup of \(evidence.origin.host) took longer than \(limit).")
  }

  /// The certificate may be in good order, but it is for somebody else.
  private static func namesAnotherHost(_ evidence: ConnectEvidence) -> UpstreamFailure {
    let origin = evidence.origin
    let names = evidence.certificateNames
    let whose = names.isEmpty ? evidence.reason : "it names \(names)"
    return UpstreamFailure(
      .tlsCertificate,
      "\(origin): the certificate is not valid for the host name \(origin.host); \(whose). "
        + "Ask the origin by a name that its certificate has.")
  }

  private static func handshake(_ evidence: ConnectEvidence) -> UpstreamFailure {
    let detail = "\(evidence.origin): \(evidence.reason)."
    if evidence.reason.contains("alert") { return UpstreamFailure(.tlsAlert, detail) }
    // OpenSSL's words for bytes that are no TLS.
    let noTLS = ["wrong version number", "packet length too long", "http request"]
    if noTLS.contains(where: evidence.reason.contains) {
      let advice = "The port does not speak TLS; for plain http the origin is \(evidence.origin.withoutTLS)."
      return UpstreamFailure(.tlsProtocol, "\(detail) \(advice)")
    }
    return UpstreamFailure(.tlsProtocol, detail)
  }
}
