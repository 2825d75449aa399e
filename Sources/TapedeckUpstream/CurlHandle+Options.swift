internal import CCurl
internal import Glibc
internal import TapedeckHTTP

/// The options of every handle: connect to the origin and call us back, nothing else.
extension CurlHandle {
  func setOptions() -> [CURLcode] { setRoute() + setSecurity() + setCallbacks() }

  private func setRoute() -> [CURLcode] {
    let origin = configuration.origin
    let proxy = configuration.route.proxy
    let usesProxy = proxy != .none
    var (url, exceptions): (String?, String?) = ("", "*")
    switch proxy {
    case .none: break
    case .environment: (url, exceptions) = (nil, nil)
    // The exceptions of the environment are for its own proxy.
    case .url(let text): (url, exceptions) = (text, "")
    }
    return [
      td_easy_set_string(easy, CURLOPT_URL, "\(origin.scheme.rawValue)://\(origin.authority)/"),
      td_easy_set_long(easy, CURLOPT_CONNECT_ONLY, 1),
      // The protocol negotiated in TLS.
      td_easy_set_long(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),
      td_easy_set_long(easy, CURLOPT_NOSIGNAL, 1),
      // A slow lookup must not block the loop when its transfer is cancelled.
      td_easy_set_long(easy, CURLOPT_QUICK_EXIT, 1),
      td_easy_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https"),
      td_easy_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, configuration.timeouts.connectMilliseconds),
      // Tunnels through a proxy, so that the origin gets the request unchanged and not in absolute form.
      td_easy_set_long(easy, CURLOPT_HTTPPROXYTUNNEL, usesProxy ? 1 : 0),
      td_easy_set_long(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, usesProxy ? 1 : 0),
      td_easy_set_string(easy, CURLOPT_PROXY, url),
      td_easy_set_string(easy, CURLOPT_NOPROXY, exceptions),
      td_easy_set_pointer(easy, CURLOPT_RESOLVE, resolve),
      td_easy_set_string(easy, CURLOPT_UNIX_SOCKET_PATH, origin.socketPath),
    ]
  }

  private func setSecurity() -> [CURLcode] {
    let authorities = configuration.caCertificatePath
    return [
      td_easy_set_long(easy, CURLOPT_SSL_VERIFYPEER, configuration.verifiesTLS ? 1 : 0),
      td_easy_set_long(easy, CURLOPT_SSL_VERIFYHOST, configuration.verifiesTLS ? 2 : 0),
      // Without a folder of authorities, libcurl parses the file once, not per connection (2.5 instead of 28
      // ms of CPU per handshake), and `--cacert` means only that file.
      td_easy_set_string(easy, CURLOPT_CAPATH, nil),
      authorities == nil ? CURLE_OK : td_easy_set_string(easy, CURLOPT_CAINFO, authorities),
      td_easy_set_string(easy, CURLOPT_SSLCERT, configuration.clientCertificatePath),
      td_easy_set_string(easy, CURLOPT_SSLKEY, configuration.clientKeyPath),
      // Without a password, OpenSSL would ask the terminal for that of an encrypted key.
      td_easy_set_string(easy, CURLOPT_KEYPASSWD, ""),
    ]
  }

  /// Each context is an object that outlives the calls.
  private func setCallbacks() -> [CURLcode] {
    let this = Unmanaged.passUnretained(self).toOpaque()
    return [
      td_easy_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText),
      td_easy_set_pointer(easy, CURLOPT_PRIVATE, this),
      td_easy_set_pointer(easy, CURLOPT_SHARE, connectionCache),
      td_easy_on_open_socket(easy, Self.openSocket, this),
      // A connection may outlive the handle that opened it, but not the connector.
      td_easy_on_close_socket(easy, Self.closeSocket, Unmanaged.passUnretained(connector).toOpaque()),
      speaksTLS && Self.usesOpenSSL ? td_easy_on_trace(easy, Self.trace, this) : CURLE_OK,
    ]
  }

  private static let openSocket: curl_opensocket_callback = { context, _, address in
    guard let context, let address else { return -1 }
    let handle = Unmanaged<CurlHandle>.fromOpaque(context).takeUnretainedValue()
    if let problem = handle.problem(with: address) {
      handle.prohibition = problem
      return -1
    }
    let descriptor = handle.connector.openSocket(address.pointee)
    if descriptor < 0 { handle.socketError = errno }
    return descriptor
  }

  /// The bytes of the address go on behind `addr`, up to `addrlen`.
  private func problem(with address: UnsafeMutablePointer<curl_sockaddr>) -> String? {
    guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return nil }
    let bytes = UnsafeRawBufferPointer(
      start: UnsafeRawPointer(address) + offset, count: Int(address.pointee.addrlen))
    return configuration.prohibited.problem(
      with: bytes, family: address.pointee.family, host: configuration.origin.host)
  }

  private static let closeSocket: curl_closesocket_callback = { context, descriptor in
    guard let connector = Connector.of(context) else { return close(descriptor) }
    connector.closeSocket(descriptor)
    return 0
  }

  /// Sees decrypted TLS records. An alert is two bytes, and the second is 0 for close_notify (RFC 8446 §6).
  private static let trace: curl_debug_callback = { _, kind, bytes, count, context in
    if kind == CURLINFO_SSL_DATA_IN, count == 2, let bytes, bytes[1] == 0, let context {
      Unmanaged<CurlHandle>.fromOpaque(context).takeUnretainedValue().hasSeenCloseNotify = true
    }
    return 0
  }
}

extension CurlHandle {
  /// Why libcurl is not usable. The first access initializes it, once per process.
  private static let libraryProblem: String? = {
    ignoreBrokenPipes()
    return curl_global_init(td_global_default) == CURLE_OK ? nil : "initialisation failed"
  }()

  static func startLibrary() throws(UpstreamError) {
    if let problem = libraryProblem { throw .libcurlFailed(reason: problem) }
  }

  /// With CURLOPT_NOSIGNAL libcurl does not block SIGPIPE, but OpenSSL writes close_notify to dead sockets.
  private static func ignoreBrokenPipes() {
    var current = sigaction()
    guard sigaction(SIGPIPE, nil, &current) == 0, current.__sigaction_handler.sa_handler == nil else {
      return
    }
    signal(SIGPIPE, SIG_IGN)
  }

  static var libraryVersion: String {
    guard libraryProblem == nil, let info = curl_version_info(td_version_now)?.pointee,
      let version = info.version
    else { return "?" }
    let tls = info.ssl_version.map { " (\(String(cString: $0)))" } ?? ""
    return String(cString: version) + tls
  }

  /// Whether the TLS library is OpenSSL, whose alerts libcurl shows.
  static let usesOpenSSL =
    curl_version_info(td_version_now)?.pointee.ssl_version
    .map { String(cString: $0).hasPrefix("OpenSSL") } ?? false

  static func text(_ code: CURLcode) -> String {
    curl_easy_strerror(code).map { String(cString: $0) } ?? "error \(code.rawValue)"
  }
}
