internal import CCurl
internal import Glibc

/// Where libcurl calls back; each context is an object that outlives the calls (see `CurlTransfer`).
enum CurlCallbacks {
  static let header: td_data_callback = { bytes, size, count, context in
    guard let bytes, let context else { return 0 }
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return transfer(context).receivesHeadLine(line) ? line.count : 0
  }

  static let body: td_data_callback = { bytes, size, count, context in
    guard let bytes, let context else { return 0 }
    let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
    switch transfer(context).receivesBody(piece) {
    case .taken: return piece.count
    case .pause: return Int(CURL_WRITEFUNC_PAUSE)
    // Any other count than the one given ends the transfer.
    case .abort: return piece.count == 0 ? 1 : 0
    }
  }

  static let departure: curl_prereq_callback = { context, remoteAddress, _, remotePort, localPort in
    guard let context, let remoteAddress else { return CURL_PREREQFUNC_ABORT }
    return transfer(context).departs(to: remoteAddress, remotePort, from: localPort)
      ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
  }

  /// Sees TLS records in the clear; an alert is two bytes, and its second says 0 for close_notify (RFC 8446
  /// §6).
  static let trace: curl_debug_callback = { _, kind, bytes, count, context in
    if kind == CURLINFO_SSL_DATA_IN, count == 2, let bytes, bytes[1] == 0, let context {
      transfer(context).hearsGoodbye()
    }
    return 0
  }

  static let openSocket: curl_opensocket_callback = { context, _, address in
    guard let context, let address else { return -1 }
    return transfer(context).opensSocket(address.pointee)
  }

  static let closeSocket: curl_closesocket_callback = { context, descriptor in
    guard let context else { return close(descriptor) }
    Unmanaged<CurlSocketTable>.fromOpaque(context).takeUnretainedValue().close(descriptor)
    return 0
  }

  private static func transfer(_ context: UnsafeMutableRawPointer) -> CurlTransfer {
    Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
  }
}
