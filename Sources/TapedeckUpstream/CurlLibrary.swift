internal import CCurl
internal import Glibc

/// libcurl itself, which is started once per process, before the first handle.
enum CurlLibrary {
  /// Why libcurl is not ready; nil when it is. The first caller starts it.
  private static let problem: String? = {
    ignoreBrokenPipes()
    return curl_global_init(td_global_default) == CURLE_OK ? nil : "initialisation failed"
  }()

  static func start() throws(UpstreamError) {
    if let problem { throw .libcurlFailed(reason: problem) }
  }

  /// With CURLOPT_NOSIGNAL libcurl does not block SIGPIPE, and OpenSSL writes close_notify to sockets that may be dead.
  private static func ignoreBrokenPipes() {
    var current = sigaction()
    guard sigaction(SIGPIPE, nil, &current) == 0, current.__sigaction_handler.sa_handler == nil else {
      return
    }
    signal(SIGPIPE, SIG_IGN)
  }

  /// libcurl's version with its TLS library, like `7.88.1 (OpenSSL/3.0.19)`.
  static var version: String {
    guard problem == nil, let info = curl_version_info(td_version_now)?.pointee, let version = info.version
    else {
      return "?"
    }
    let tls = info.ssl_version.map { " (\(String(cString: $0)))" } ?? ""
    return String(cString: version) + tls
  }

  /// Whether TLS is OpenSSL's, whose alerts libcurl lets us see.
  static let usesOpenSSL =
    curl_version_info(td_version_now)?.pointee.ssl_version
    .map { String(cString: $0).hasPrefix("OpenSSL") } ?? false

  /// libcurl's own words for a result.
  static func text(_ code: CURLcode) -> String {
    curl_easy_strerror(code).map { String(cString: $0) } ?? "error \(code.rawValue)"
  }
}
