internal import CCurl

/// The options of every connection: go where the origin is, and do nothing by itself.
enum CurlOptions {
  static func apply(_ configuration: UpstreamConfiguration, to easy: UnsafeMutableRawPointer) -> [CURLcode] {
    route(configuration, easy) + security(configuration, easy)
  }

  private static func route(
    _ configuration: UpstreamConfiguration, _ easy: UnsafeMutableRawPointer
  ) -> [CURLcode] {
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

  private static func security(
    _ configuration: UpstreamConfiguration, _ easy: UnsafeMutableRawPointer
  ) -> [CURLcode] {
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
}
