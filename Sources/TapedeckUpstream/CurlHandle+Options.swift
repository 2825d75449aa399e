internal import CCurl
internal import Glibc

/// The options of every handle: connect to the origin, do nothing else unasked, and call us back.
extension CurlHandle {
  func setOptions() -> [CURLcode] { setRoute() + setSecurity() + setCallbacks() }

  private func setRoute() -> [CURLcode] {
    let origin = configuration.origin
    let usesProxy = configuration.usesEnvironmentProxy
    return [
      td_easy_set_string(easy, CURLOPT_URL, "\(origin.scheme.rawValue)://\(origin.authority)/"),
      td_easy_set_long(easy, CURLOPT_CONNECT_ONLY, 1),
      // What TLS agrees on.
      td_easy_set_long(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),
      td_easy_set_long(easy, CURLOPT_NOSIGNAL, 1),
      // A lookup that hangs must not hold up the loop when its transfer is given up.
      td_easy_set_long(easy, CURLOPT_QUICK_EXIT, 1),
      td_easy_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https"),
      td_easy_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, configuration.timeouts.connectMilliseconds),
      // A proxy opens a tunnel, so that the origin gets the request as it is, and not in absolute form.
      td_easy_set_long(easy, CURLOPT_HTTPPROXYTUNNEL, usesProxy ? 1 : 0),
      td_easy_set_long(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, usesProxy ? 1 : 0),
      td_easy_set_string(easy, CURLOPT_PROXY, usesProxy ? nil : ""),
      td_easy_set_string(easy, CURLOPT_NOPROXY, usesProxy ? nil : "*"),
    ]
  }

  private func setSecurity() -> [CURLcode] {
    let authorities = configuration.caCertificatePath
    return [
      td_easy_set_long(easy, CURLOPT_SSL_VERIFYPEER, configuration.verifiesTLS ? 1 : 0),
      td_easy_set_long(easy, CURLOPT_SSL_VERIFYHOST, configuration.verifiesTLS ? 2 : 0),
      // One file of authorities, no folder beside it: only then does libcurl parse them once and not for
      // every connection (2.5 against 28 ms of CPU for a handshake), and only then does `--cacert` mean that
      // file alone.
      td_easy_set_string(easy, CURLOPT_CAPATH, nil),
      authorities == nil ? CURLE_OK : td_easy_set_string(easy, CURLOPT_CAINFO, authorities),
    ]
  }

  // MARK: Callbacks

  /// Each context is an object that lives longer than the calls.
  private func setCallbacks() -> [CURLcode] {
    let this = Unmanaged.passUnretained(self).toOpaque()
    return [
      td_easy_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText),
      td_easy_set_pointer(easy, CURLOPT_PRIVATE, this),
      td_easy_set_pointer(easy, CURLOPT_SHARE, connectionCache),
      td_easy_on_open_socket(easy, Self.openSocket, this),
      // A connection may outlive the handle that opened it, but not the connector.
      td_easy_on_close_socket(easy, Self.closeSocket, Unmanaged.passUnretained(connector).toOpaque()),
      speaksTLS && CurlLibrary.usesOpenSSL ? td_easy_on_trace(easy, Self.trace, this) : CURLE_OK,
    ]
  }

  private static let openSocket: curl_opensocket_callback = { context, _, address in
    guard let context, let address else { return -1 }
    let handle = Unmanaged<CurlHandle>.fromOpaque(context).takeUnretainedValue()
    let descriptor = handle.connector.openSocket(address.pointee)
    if descriptor < 0 { handle.socketError = errno }
    return descriptor
  }

  private static let closeSocket: curl_closesocket_callback = { context, descriptor in
    guard let connector = Connector.of(context) else { return close(descriptor) }
    connector.closeSocket(descriptor)
    return 0
  }

  /// Sees TLS records in the clear; an alert is two bytes, and its second says 0 for close_notify (RFC 8446 §6).
  private static let trace: curl_debug_callback = { _, kind, bytes, count, context in
    if kind == CURLINFO_SSL_DATA_IN, count == 2, let bytes, bytes[1] == 0, let context {
      Unmanaged<CurlHandle>.fromOpaque(context).takeUnretainedValue().hasSeenCloseNotify = true
    }
    return 0
  }
}
