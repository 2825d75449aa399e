internal import CCurl
internal import Glibc

/// What is known about a transfer that libcurl gave up.
struct TransferEvidence {
  var origin: UpstreamOrigin
  var code: CURLcode
  /// libcurl's own account; may be empty.
  var text = ""
  /// `errno` of the last failed connect.
  var systemError: Int32 = 0
  var isResolved = false
  var hasDeparted = false
  var hasSeenBytes = false
  var hasWholeHead = false
  var isIdempotent = true

  /// libcurl's account, else its general words for the code.
  var reason: String { text.isEmpty ? CurlLibrary.text(code) : text }
}

extension UpstreamFailure {
  /// Reads libcurl's result as a cause.
  init(_ evidence: TransferEvidence) {
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
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CACERT_BADFILE,
      CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_PINNEDPUBKEYNOTMATCH:
      self.init(
        .tlsCertificate,
        "\(origin): \(evidence.reason). If you trust its issuer, name the issuer's PEM file with --cacert.")
    default: self = .talking(evidence)
    }
  }

  /// A lookup that had no descriptor to ask with ends like one of an unknown name.
  private static var isOutOfDescriptors: Bool {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    if descriptor >= 0 { close(descriptor) }
    return descriptor < 0
  }

  private static func connecting(_ evidence: TransferEvidence) -> UpstreamFailure {
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

  private static func timedOut(_ evidence: TransferEvidence) -> UpstreamFailure {
    evidence.isResolved
      ? UpstreamFailure(.connectTimeout, "\(evidence.origin): no connection within the connect timeout.")
      : UpstreamFailure(.dnsTimeout, "The lookup of \(evidence.origin.host) took too long.")
  }

  private static func handshake(_ evidence: TransferEvidence) -> UpstreamFailure {
    let detail = "\(evidence.origin): \(evidence.reason)."
    if evidence.reason.contains("alert") { return UpstreamFailure(.tlsAlert, detail) }
    if evidence.reason.contains("wrong version number") {
      return UpstreamFailure(.tlsProtocol, "\(detail) Does the port speak plain http?")
    }
    return UpstreamFailure(.tlsProtocol, detail)
  }

  private static func talking(_ evidence: TransferEvidence) -> UpstreamFailure {
    let detail = "\(evidence.origin): \(evidence.reason)."
    switch evidence.code {
    case CURLE_GOT_NOTHING:
      return UpstreamFailure(.incomplete, "\(evidence.origin) closed the connection without an answer.")
    case CURLE_PARTIAL_FILE where !evidence.hasWholeHead:
      return UpstreamFailure(.incomplete, "\(evidence.origin) broke off inside the header section.")
    case CURLE_PARTIAL_FILE: return UpstreamFailure(.incomplete, detail)
    case CURLE_RECV_ERROR, CURLE_SEND_ERROR:
      // A reset inside the answer leaves part of it; one before tells of the connection only (F09,
      // F12).
      return UpstreamFailure(evidence.hasSeenBytes ? .incomplete : .terminated, detail)
    case CURLE_ABORTED_BY_CALLBACK:
      return UpstreamFailure(
        .terminated,
        "\(evidence.origin) closed the connection before it answered"
          + (evidence.isIdempotent
            ? ", twice." : "; the request is not sent twice, for it is not idempotent."))
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_HTTP2:
      return UpstreamFailure(.protocolError, detail)
    case CURLE_OUT_OF_MEMORY where evidence.hasDeparted:
      // libcurl calls a header line beyond its own bound "out of memory" (B39).
      return UpstreamFailure(.headTooLarge, "\(evidence.origin) sent a header line that is too long.")
    default: return UpstreamFailure(.internalError, detail)
    }
  }
}
