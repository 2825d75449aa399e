internal import CCurl
internal import Glibc

/// Where libcurl calls back; each context is an object that outlives the calls (see `CurlHandle`).
enum CurlCallbacks {
  /// Sees TLS records in the clear; an alert is two bytes, and its second says 0 for close_notify (RFC 8446
  /// §6).
  static let trace: curl_debug_callback = { _, kind, bytes, count, context in
    if kind == CURLINFO_SSL_DATA_IN, count == 2, let bytes, bytes[1] == 0, let context {
      handle(context).hearsGoodbye()
    }
    return 0
  }

  static let openSocket: curl_opensocket_callback = { context, _, address in
    guard let context, let address else { return -1 }
    return handle(context).opensSocket(address.pointee)
  }

  static let closeSocket: curl_closesocket_callback = { context, descriptor in
    guard let context else { return close(descriptor) }
    Unmanaged<CurlSocketTable>.fromOpaque(context).takeUnretainedValue().close(descriptor)
    return 0
  }

  private static func handle(_ context: UnsafeMutableRawPointer) -> CurlHandle {
    Unmanaged<CurlHandle>.fromOpaque(context).takeUnretainedValue()
  }
}
