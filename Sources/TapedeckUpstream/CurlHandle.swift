internal import CCurl
internal import Glibc
internal import TapedeckSockets

/// One easy handle, set up once and used for one connection after another.
///
/// libcurl does what it is the well-kept answer for: it looks up names, tries addresses, goes through proxies, checks
/// certificates and speaks TLS. Then it stops (CURLOPT_CONNECT_ONLY), and the bytes are ours: HTTP/1.1 is spoken by our
/// own serializer and parsers, which a proxy would have to hold against libcurl's anyway.
final class CurlHandle {
  let easy: UnsafeMutableRawPointer
  private let configuration: UpstreamConfiguration
  private let sockets: CurlSocketTable
  private let errorText: UnsafeMutablePointer<CChar>
  /// The connection's, while there is one.
  private(set) var descriptor: Int32 = -1
  /// Who is at its other end, as `ip:port`.
  private(set) var remoteAddress = ""
  /// Whether the origin ended TLS in order.
  private(set) var hasHeardGoodbye = false
  /// Why the kernel gave no socket, which libcurl does not tell.
  private var socketError: Int32 = 0
  /// Takes libcurl's word on a connection that was asked for.
  var onConnected: (CURLcode) -> Void = { _ in }

  init(_ configuration: UpstreamConfiguration, sockets: CurlSocketTable) throws(UpstreamError) {
    guard let easy = curl_easy_init() else { throw .libcurlFailed(reason: "no handle could be made") }
    self.easy = easy
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
    descriptor = -1
    socketError = 0
    hasHeardGoodbye = false
    errorText[0] = 0
  }

  /// Takes over the connection that libcurl has made. False when there is none.
  func takeConnection() -> Bool {
    var socket: curl_socket_t = -1
    guard td_easy_get_socket(easy, &socket) == CURLE_OK, socket >= 0 else { return false }
    sockets.release(socket)
    descriptor = socket
    remoteAddress = address()
    return true
  }

  private func address() -> String {
    var host: UnsafePointer<CChar>?
    var port = 0
    guard td_easy_get_string(easy, CURLINFO_PRIMARY_IP, &host) == CURLE_OK, let host,
      td_easy_get_long(easy, CURLINFO_PRIMARY_PORT, &port) == CURLE_OK
    else { return "" }
    let text = String(cString: host)
    return text.utf8.contains(UInt8(ascii: ":")) ? "[\(text)]:\(port)" : "\(text):\(port)"
  }

  /// Why there is no connection.
  func failure(_ code: CURLcode) -> UpstreamFailure {
    var evidence = ConnectEvidence(origin: configuration.origin, code: code)
    evidence.text = String(cString: errorText)
    var systemError = 0
    _ = td_easy_get_long(easy, CURLINFO_OS_ERRNO, &systemError)
    evidence.systemError = socketError == 0 ? Int32(truncatingIfNeeded: systemError) : socketError
    var lookup: curl_off_t = 0
    _ = td_easy_get_size(easy, CURLINFO_NAMELOOKUP_TIME_T, &lookup)
    evidence.isResolved = lookup > 0
    return UpstreamFailure(evidence)
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

  func receive(into buffer: UnsafeMutableRawBufferPointer) -> TransferResult {
    guard isLayered else { return StreamSocket.read(descriptor, into: buffer) }
    var count = 0
    let code = curl_easy_recv(easy, buffer.baseAddress, buffer.count, &count)
    guard code == CURLE_OK else { return Self.result(code) }
    return count > 0 ? .bytes(count) : .endOfStream
  }

  func send(_ bytes: UnsafeRawBufferPointer) -> TransferResult {
    guard isLayered else { return StreamSocket.write(descriptor, bytes) }
    var count = 0
    let code = curl_easy_send(easy, bytes.baseAddress, bytes.count, &count)
    return code == CURLE_OK ? .bytes(count) : Self.result(code)
  }

  private static func result(_ code: CURLcode) -> TransferResult {
    code == CURLE_AGAIN ? .wouldBlock : .failed(code: 0)
  }

  /// Whether nothing has come. Between two exchanges nothing may.
  var isQuiet: Bool {
    var byte: UInt8 = 0
    return withUnsafeMutableBytes(of: &byte) {
      if case .wouldBlock = receive(into: $0) { true } else { false }
    }
  }

  /// What a failed transfer of bytes means, for people.
  /// - Parameter code: the kernel's; 0 where libcurl has its own account.
  func reason(_ code: Int32) -> String {
    if code != 0 { return String(cString: strerror(code)) }
    return errorText[0] == 0 ? "the connection broke" : String(cString: errorText)
  }
}
