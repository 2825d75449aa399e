internal import CCurl
internal import Glibc
internal import TapedeckHTTP
internal import TapedeckSockets

/// One easy handle, reused for one connection after another.
///
/// libcurl looks up names, connects, goes through proxies and does TLS, then stops (CURLOPT_CONNECT_ONLY).
/// Our own serializer and parsers do HTTP/1.1, because a proxy would have to check libcurl's result anyway.
///
/// libcurl treats a finished connection as unused: another connecting transfer closes those in its cache that
/// have ended or are too old (7.88.1: `prune_dead_connections`, CURLOPT_MAXAGE_CONN, 118 s). So each handle
/// has its own connection cache, in its own share. The multi handle shares names and certificate authorities;
/// one multi handle each would read the authorities per connection (17.6 instead of 0.2 ms of CPU).
final class CurlHandle {
  let easy: UnsafeMutableRawPointer
  let configuration: UpstreamConfiguration
  let connector: Connector
  let connectionCache: UnsafeMutableRawPointer
  let errorText: UnsafeMutablePointer<CChar>
  let resolve: UnsafeMutablePointer<curl_slist>?
  /// -1 while there is no connection.
  private(set) var descriptor: Int32 = -1
  private(set) var remoteAddress = ""
  var hasSeenCloseNotify = false
  /// `errno` of a failed `socket`, which libcurl does not report.
  var socketError: Int32 = 0
  /// Why the address that the origin's name led to is prohibited.
  var prohibition: String?
  var isKeepingCertificate = false
  var onConnected: (CURLcode) -> Void = { _ in }
  /// Called from inside libcurl when it is about to close the connection.
  var onLost: () -> Void = {}

  init(_ configuration: UpstreamConfiguration, _ connector: Connector) throws(UpstreamError) {
    guard let easy = curl_easy_init() else { throw .libcurlFailed(reason: "no handle could be made") }
    guard let connectionCache = td_share_init(CURL_LOCK_DATA_CONNECT) else {
      curl_easy_cleanup(easy)
      throw .libcurlFailed(reason: "no connection cache could be made")
    }
    self.easy = easy
    self.connectionCache = connectionCache
    self.configuration = configuration
    self.connector = connector
    resolve = configuration.route.resolve.reduce(nil) { curl_slist_append($0, $1) }
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    if let refused = setOptions().first(where: { $0 != CURLE_OK }) {
      throw .libcurlFailed(reason: Self.text(refused))
    }
  }

  deinit {
    curl_easy_cleanup(easy)
    // Last: libcurl refuses while a handle uses it.
    _ = curl_share_cleanup(connectionCache)
    errorText.deallocate()
    curl_slist_free_all(resolve)
  }

  static func of(_ easy: UnsafeMutableRawPointer) -> CurlHandle? {
    var pointer: UnsafeMutableRawPointer?
    _ = td_easy_get_pointer(easy, CURLINFO_PRIVATE, &pointer)
    return pointer.map { Unmanaged<CurlHandle>.fromOpaque($0).takeUnretainedValue() }
  }

  var speaksTLS: Bool { configuration.origin.scheme == .https }
  var endedWithoutCloseNotify: Bool { speaksTLS && Self.usesOpenSSL && !hasSeenCloseNotify }

  func reset() {
    socketError = 0
    prohibition = nil
    hasSeenCloseNotify = false
    errorText[0] = 0
  }

  func takeConnection() -> Bool {
    var socket: curl_socket_t = -1
    guard td_easy_get_socket(easy, &socket) == CURLE_OK, socket >= 0 else { return false }
    connector.take(socket, for: self)
    descriptor = socket
    remoteAddress = address()
    return true
  }

  /// Returns the connection to libcurl, which closes it.
  func giveBack() {
    guard descriptor >= 0 else { return }
    connector.giveBack(descriptor)
    descriptor = -1
  }

  /// Handles a close by libcurl while the connection is in use. No known version does that.
  func lose() {
    onLost()
    descriptor = -1
  }

  var isLost: Bool { descriptor < 0 }

  private func address() -> String {
    var host: UnsafePointer<CChar>?
    var port = 0
    guard td_easy_get_string(easy, CURLINFO_PRIMARY_IP, &host) == CURLE_OK, let host,
      td_easy_get_long(easy, CURLINFO_PRIMARY_PORT, &port) == CURLE_OK
    else { return "" }
    let text = String(cString: host)
    return text.utf8.contains(UInt8(ascii: ":")) ? "[\(text)]:\(port)" : "\(text):\(port)"
  }

  /// Whether libcurl may hold bytes when the kernel has none: a TLS record is decrypted whole.
  var holdsBack: Bool { speaksTLS || configuration.route.proxy != .none }

  func receive(into buffer: UnsafeMutableRawBufferPointer) -> TransferResult {
    guard !isLost else { return .failed(code: Self.failedInLibcurl) }
    guard holdsBack else { return StreamSocket.read(descriptor, into: buffer) }
    var count = 0
    let code = curl_easy_recv(easy, buffer.baseAddress, buffer.count, &count)
    guard code == CURLE_OK else { return Self.result(code) }
    return count > 0 ? .bytes(count) : .endOfStream
  }

  func send(_ bytes: UnsafeRawBufferPointer) -> TransferResult {
    guard !isLost else { return .failed(code: Self.failedInLibcurl) }
    guard holdsBack else { return StreamSocket.write(descriptor, bytes) }
    var count = 0
    let code = curl_easy_send(easy, bytes.baseAddress, bytes.count, &count)
    return code == CURLE_OK ? .bytes(count) : Self.result(code)
  }

  /// Half-closes the connection.
  func finishSending() { if !isLost { _ = shutdown(descriptor, Int32(SHUT_WR)) } }

  /// Stands for an error of libcurl, whose error buffer may explain it.
  private static let failedInLibcurl: Int32 = 0

  private static func result(_ code: CURLcode) -> TransferResult {
    code == CURLE_AGAIN ? .wouldBlock : .failed(code: failedInLibcurl)
  }

  var isQuiet: Bool {
    var byte: UInt8 = 0
    return withUnsafeMutableBytes(of: &byte) {
      if case .wouldBlock = receive(into: $0) { true } else { false }
    }
  }

  func reason(_ code: Int32) -> String {
    if code != Self.failedInLibcurl { return String(cString: strerror(code)) }
    if isLost { return "libcurl closed the connection" }
    return errorText[0] == 0 ? "the connection broke" : String(cString: errorText)
  }
}
