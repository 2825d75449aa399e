internal import CCurl
internal import Glibc
internal import TapedeckSockets

/// One easy handle, set up once and used for one connection after another.
///
/// libcurl looks up names, tries addresses, goes through proxies, checks certificates and speaks TLS. Then it stops
/// (CURLOPT_CONNECT_ONLY), and the bytes are ours: our own serializer and parsers speak HTTP/1.1, because a proxy would
/// have to check libcurl's reading of it anyway.
///
/// A connection belongs to its handle alone. libcurl does not count a finished one as in use: when another transfer
/// connects, it closes what its connection cache holds that has ended or has become too old (7.88.1:
/// `prune_dead_connections`, CURLOPT_MAXAGE_CONN, 118 s). So each handle has a connection cache of its own, by a share
/// of its own; names and certificate authorities stay common to all, in the multi handle. A multi handle for each would
/// do as well, but reads the authorities for every connection: 17.6 against 0.2 ms of CPU for a handshake.
final class CurlHandle {
  let easy: UnsafeMutableRawPointer
  let configuration: UpstreamConfiguration
  let connector: Connector
  let connectionCache: UnsafeMutableRawPointer
  let errorText: UnsafeMutablePointer<CChar>
  /// The connection's, while there is one.
  private(set) var descriptor: Int32 = -1
  /// The origin's end of it, as `ip:port`.
  private(set) var remoteAddress = ""
  /// Whether the origin ended TLS in order, with close_notify (RFC 8446 §6.1).
  var hasSeenCloseNotify = false
  /// Why the kernel gave no socket; libcurl does not pass that on.
  var socketError: Int32 = 0
  /// Whether libcurl keeps the certificate of the origin.
  var isKeepingCertificate = false
  /// Called with the outcome of an attempt to connect.
  var onConnected: (CURLcode) -> Void = { _ in }
  /// Called when libcurl is about to close the connection, from inside of libcurl.
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
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    let codes = setOptions()
    if let refused = codes.first(where: { $0 != CURLE_OK }) {
      throw .libcurlFailed(reason: CurlLibrary.text(refused))
    }
  }

  deinit {
    curl_easy_cleanup(easy)
    // Not before: libcurl refuses while a handle uses it.
    _ = curl_share_cleanup(connectionCache)
    errorText.deallocate()
  }

  /// The handle that wraps `easy`.
  static func of(_ easy: UnsafeMutableRawPointer) -> CurlHandle? {
    var pointer: UnsafeMutableRawPointer?
    _ = td_easy_get_pointer(easy, CURLINFO_PRIVATE, &pointer)
    return pointer.map { Unmanaged<CurlHandle>.fromOpaque($0).takeUnretainedValue() }
  }

  var speaksTLS: Bool { configuration.origin.scheme == .https }
  /// Whether TLS did not end in order, as far as the TLS library lets us see.
  var endedWithoutCloseNotify: Bool { speaksTLS && CurlLibrary.usesOpenSSL && !hasSeenCloseNotify }

  // MARK: Connecting

  /// Forgets the last connection, which is closed.
  func reset() {
    socketError = 0
    hasSeenCloseNotify = false
    errorText[0] = 0
  }

  /// Takes over the connection that libcurl has made. False when there is none.
  func takeConnection() -> Bool {
    var socket: curl_socket_t = -1
    guard td_easy_get_socket(easy, &socket) == CURLE_OK, socket >= 0 else { return false }
    connector.take(socket, for: self)
    descriptor = socket
    remoteAddress = address()
    return true
  }

  /// Leaves the connection to libcurl, which is to close it.
  func giveBack() {
    guard descriptor >= 0 else { return }
    connector.giveBack(descriptor)
    descriptor = -1
  }

  /// libcurl closes the connection although it is in use. No known one does.
  func lose() {
    onLost()
    descriptor = -1
  }

  /// Whether there is no connection any more.
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

  // MARK: Bytes

  /// Whether libcurl stands between us and the socket. More may wait there although the kernel has nothing: a TLS record
  /// is opened whole.
  var holdsBack: Bool { speaksTLS || configuration.usesEnvironmentProxy }

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

  /// In place of an error of the kernel: libcurl's error buffer may say why.
  private static let failedInLibcurl: Int32 = 0

  private static func result(_ code: CURLcode) -> TransferResult {
    code == CURLE_AGAIN ? .wouldBlock : .failed(code: failedInLibcurl)
  }

  /// Whether nothing has come. Between two exchanges nothing may.
  var isQuiet: Bool {
    var byte: UInt8 = 0
    return withUnsafeMutableBytes(of: &byte) {
      if case .wouldBlock = receive(into: $0) { true } else { false }
    }
  }

  /// What the code of a failed `receive` or `send` means, for people.
  func reason(_ code: Int32) -> String {
    if code != Self.failedInLibcurl { return String(cString: strerror(code)) }
    if isLost { return "libcurl closed the connection" }
    return errorText[0] == 0 ? "the connection broke" : String(cString: errorText)
  }
}
