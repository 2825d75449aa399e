internal import CCurl
internal import Glibc
internal import TapedeckSockets

/// One easy handle, set up once and used for one connection after another.
///
/// libcurl does what it is the well-kept answer for: it looks up names, tries addresses, goes through proxies, checks
/// certificates and speaks TLS. Then it stops (CURLOPT_CONNECT_ONLY), and the bytes are ours: HTTP/1.1 is spoken by our
/// own serializer and parsers, which a proxy would have to hold against libcurl's anyway.
///
/// A connection that was made belongs to its handle alone. libcurl does not count it as in use, and when another
/// transfer connects it closes what its connection cache holds that has ended or has become too old (7.88.1:
/// `prune_dead_connections`, CURLOPT_MAXAGE_CONN, 118 s). So each handle has a connection cache of its own, by a share
/// of its own; names and certificate authorities stay common to all, in the multi handle. A multi handle for each would
/// do as well, but reads the authorities for every connection: 17.6 against 0.2 ms of CPU for a handshake.
final class CurlHandle {
  let easy: UnsafeMutableRawPointer
  let configuration: UpstreamConfiguration
  private let sockets: CurlSocketTable
  private let connectionCache: UnsafeMutableRawPointer
  let errorText: UnsafeMutablePointer<CChar>
  /// The connection's, while there is one.
  private(set) var descriptor: Int32 = -1
  /// Who is at its other end, as `ip:port`.
  private(set) var remoteAddress = ""
  /// Whether the origin ended TLS in order.
  private(set) var hasHeardGoodbye = false
  /// Why the kernel gave no socket, which libcurl does not tell.
  private(set) var socketError: Int32 = 0
  /// Whether libcurl keeps the certificate of the origin.
  var isKeepingCertificate = false
  /// Takes libcurl's word on a connection that was asked for.
  var onConnected: (CURLcode) -> Void = { _ in }
  /// Hears that libcurl is about to close the connection, from inside of libcurl.
  var onLost: () -> Void = {}

  init(_ configuration: UpstreamConfiguration, sockets: CurlSocketTable) throws(UpstreamError) {
    guard let easy = curl_easy_init() else { throw .libcurlFailed(reason: "no handle could be made") }
    guard let connectionCache = td_share_init(CURL_LOCK_DATA_CONNECT) else {
      curl_easy_cleanup(easy)
      throw .libcurlFailed(reason: "no connection cache could be made")
    }
    self.easy = easy
    self.connectionCache = connectionCache
    self.configuration = configuration
    self.sockets = sockets
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    let codes = CurlOptions.apply(configuration, to: easy) + installCallbacks()
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

  /// Whose handle `easy` is.
  static func of(_ easy: UnsafeMutableRawPointer) -> CurlHandle? {
    var pointer: UnsafeMutableRawPointer?
    _ = td_easy_get_pointer(easy, CURLINFO_PRIVATE, &pointer)
    return pointer.map { Unmanaged<CurlHandle>.fromOpaque($0).takeUnretainedValue() }
  }

  private func installCallbacks() -> [CURLcode] {
    let this = Unmanaged.passUnretained(self).toOpaque()
    var codes = [
      td_easy_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText),
      td_easy_set_pointer(easy, CURLOPT_PRIVATE, this),
      td_easy_set_pointer(easy, CURLOPT_SHARE, connectionCache),
      td_easy_on_open_socket(easy, CurlCallbacks.openSocket, this),
      // A connection may outlive the handle that opened it, but not the table.
      td_easy_on_close_socket(easy, CurlCallbacks.closeSocket, Unmanaged.passUnretained(sockets).toOpaque()),
    ]
    if speaksTLS, CurlLibrary.usesOpenSSL { codes.append(td_easy_on_trace(easy, CurlCallbacks.trace, this)) }
    return codes
  }

  var speaksTLS: Bool { configuration.origin.scheme == .https }
  /// Whether libcurl stands between us and the socket.
  private var isLayered: Bool { speaksTLS || configuration.usesEnvironmentProxy }

  // MARK: Connecting

  /// Forgets the last connection, which is closed.
  func reset() {
    socketError = 0
    hasHeardGoodbye = false
    errorText[0] = 0
  }

  /// Takes over the connection that libcurl has made. False when there is none.
  func takeConnection() -> Bool {
    var socket: curl_socket_t = -1
    guard td_easy_get_socket(easy, &socket) == CURLE_OK, socket >= 0 else { return false }
    sockets.take(socket, for: self)
    descriptor = socket
    remoteAddress = address()
    return true
  }

  /// Leaves the connection to libcurl, which is to close it.
  func giveBack() {
    guard descriptor >= 0 else { return }
    sockets.giveBack(descriptor)
    descriptor = -1
  }

  /// libcurl closes the connection although it is in use. No known one does.
  func loses() {
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

  // MARK: What libcurl tells

  func opensSocket(_ address: curl_sockaddr) -> Int32 {
    let descriptor = sockets.open(address)
    if descriptor < 0 { socketError = errno }
    return descriptor
  }

  func hearsGoodbye() { hasHeardGoodbye = true }

  // MARK: Bytes

  /// Whether more may wait although the kernel has nothing: a TLS record is opened whole.
  var holdsBack: Bool { isLayered }

  func receive(into buffer: UnsafeMutableRawBufferPointer) -> ConnectionTransfer {
    guard !isLost else { return .failed(.libcurl) }
    guard isLayered else { return ConnectionTransfer(StreamSocket.read(descriptor, into: buffer)) }
    var count = 0
    let code = curl_easy_recv(easy, buffer.baseAddress, buffer.count, &count)
    guard code == CURLE_OK else { return Self.result(code) }
    return count > 0 ? .bytes(count) : .endOfStream
  }

  func send(_ bytes: UnsafeRawBufferPointer) -> ConnectionTransfer {
    guard !isLost else { return .failed(.libcurl) }
    guard isLayered else { return ConnectionTransfer(StreamSocket.write(descriptor, bytes)) }
    var count = 0
    let code = curl_easy_send(easy, bytes.baseAddress, bytes.count, &count)
    return code == CURLE_OK ? .bytes(count) : Self.result(code)
  }

  private static func result(_ code: CURLcode) -> ConnectionTransfer {
    code == CURLE_AGAIN ? .wouldBlock : .failed(.libcurl)
  }

  /// Whether nothing has come. Between two exchanges nothing may.
  var isQuiet: Bool {
    var byte: UInt8 = 0
    return withUnsafeMutableBytes(of: &byte) {
      if case .wouldBlock = receive(into: $0) { true } else { false }
    }
  }

  /// What a failed transfer of bytes means, for people.
  func reason(_ fault: ConnectionTransfer.Fault) -> String {
    switch fault {
    case .system(let code): String(cString: strerror(code))
    case .strayBytes: "bytes came that are no response"
    case .libcurl where isLost: "libcurl closed the connection"
    case .libcurl: errorText[0] == 0 ? "the connection broke" : String(cString: errorText)
    }
  }
}
