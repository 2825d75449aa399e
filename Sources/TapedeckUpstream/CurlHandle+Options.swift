internal import CCurl
internal import Glibc

/// What every handle is told once: to go where the origin is, to do nothing by itself, and whom to call.
extension CurlHandle {
  func setOptions() -> [CURLcode] { setRoute() + setSecurity() + setCallbacks() }

  private func setRoute() -> [CURLcode] {
    let origin = configuration.origin
    var codes = [
      td_easy_set_string(easy, CURLOPT_URL, "\(origin.scheme.rawValue)://\(origin.authority)/"),
      td_easy_set_long(easy, CURLOPT_CONNECT_ONLY, 1),
      // What TLS agrees on.
      td_easy_set_long(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),
      td_easy_set_long(easy, CURLOPT_NOSIGNAL, 1),
      // A lookup that hangs must not hold up the loop when its transfer is given up.
      td_easy_set_long(easy, CURLOPT_QUICK_EXIT, 1),
      td_easy_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https"),
      td_easy_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, configuration.timeouts.connectMilliseconds),
    ]
    if configuration.usesEnvironmentProxy {
      // Through a tunnel, so that the origin gets the request as it is, and not in absolute form.
      codes.append(td_easy_set_long(easy, CURLOPT_HTTPPROXYTUNNEL, 1))
      codes.append(td_easy_set_long(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1))
    } else {
      codes.append(td_easy_set_string(easy, CURLOPT_PROXY, ""))
      codes.append(td_easy_set_string(easy, CURLOPT_NOPROXY, "*"))
    }
    return codes
  }

  private func setSecurity() -> [CURLcode] {
    var codes = [
      td_easy_set_long(easy, CURLOPT_SSL_VERIFYPEER, configuration.verifiesTLS ? 1 : 0),
      td_easy_set_long(easy, CURLOPT_SSL_VERIFYHOST, configuration.verifiesTLS ? 2 : 0),
      // One file of authorities, no folder beside it: only then does libcurl parse them once and not for
      // every connection (2.5 against 28 ms of CPU for a handshake), and only then does `--cacert` mean that
      // file alone.
      td_easy_set_string(easy, CURLOPT_CAPATH, nil),
    ]
    if let path = configuration.caCertificatePath {
      codes.append(td_easy_set_string(easy, CURLOPT_CAINFO, path))
    }
    return codes
  }

  // MARK: Callbacks

  /// Each context is an object that outlives the calls.
  private func setCallbacks() -> [CURLcode] {
    let this = Unmanaged.passUnretained(self).toOpaque()
    var codes = [
      td_easy_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText),
      td_easy_set_pointer(easy, CURLOPT_PRIVATE, this),
      td_easy_set_pointer(easy, CURLOPT_SHARE, connectionCache),
      td_easy_on_open_socket(easy, Self.openSocket, this),
      // A connection may outlive the handle that opened it, but not the connector.
      td_easy_on_close_socket(easy, Self.closeSocket, Unmanaged.passUnretained(connector).toOpaque()),
    ]
    if speaksTLS, CurlLibrary.usesOpenSSL { codes.append(td_easy_on_trace(easy, Self.trace, this)) }
    return codes
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
