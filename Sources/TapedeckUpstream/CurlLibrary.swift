internal import CCurl
internal import Glibc

/// libcurl as a whole: loaded and started once a process, before the first handle.
enum CurlLibrary {
  /// Why libcurl is not ready; nil when it is. The first caller starts it.
  private static let problem: String? = {
    if let problem = td_curl_load() { return String(cString: problem) }
    ignoreBrokenPipes()
    return td_global_init() == CURLE_OK ? nil : "initialisation failed"
  }()

  static func start() throws(UpstreamError) {
    if let problem { throw .libcurlFailed(reason: problem) }
  }

  /// libcurl with CURLOPT_NOSIGNAL leaves SIGPIPE alone, and OpenSSL writes its goodbye to sockets that may
  /// be dead.
  private static func ignoreBrokenPipes() {
    var current = sigaction()
    guard sigaction(SIGPIPE, nil, &current) == 0, current.__sigaction_handler.sa_handler == nil else {
      return
    }
    signal(SIGPIPE, SIG_IGN)
  }

  /// libcurl's version with its TLS library, like `7.88.1 (OpenSSL/3.0.19)`.
  static var version: String {
    guard problem == nil, let info = td_version_info()?.pointee, let version = info.version else {
      return "?"
    }
    let tls = info.ssl_version.map { " (\(String(cString: $0)))" } ?? ""
    return String(cString: version) + tls
  }

  /// Whether TLS is OpenSSL's, whose alerts libcurl lets us see.
  static let usesOpenSSL =
    td_version_info()?.pointee.ssl_version
    .map { String(cString: $0).hasPrefix("OpenSSL") } ?? false

  /// libcurl's own words for a result.
  static func text(_ code: CURLcode) -> String {
    td_error_text(code).map { String(cString: $0) } ?? "error \(code.rawValue)"
  }
}
