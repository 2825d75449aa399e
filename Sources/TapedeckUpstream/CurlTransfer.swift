internal import CCurl
internal import Glibc
internal import TapedeckHTTP
internal import TapedeckSockets

/// One easy handle, set up once and used for one exchange after another.
///
/// What never changes (callbacks, TLS, the ban on everything libcurl likes to do by itself) is set when the
/// handle is made; a request changes method, target, fields and body only.
final class CurlTransfer {
  let easy: UnsafeMutableRawPointer
  private let configuration: UpstreamConfiguration
  private let url: CurlURL
  private let loop: EventLoop
  private let sockets: CurlSocketTable
  private let errorText: UnsafeMutablePointer<CChar>
  private var lines = UpstreamRequestLines()
  private let headers = CurlHeaderList()
  /// The connection that it was last seen waiting for.
  var socket: CurlSocket?
  private var timer: LoopTimer?
  private(set) var exchange: UpstreamExchange?
  private(set) var receiver: ResponseReceiver?
  private var isIdempotent = true
  private var bodyBytes = 0
  /// How often libcurl was about to send the request.
  private var departures = 0
  private var openedBeforeDeparture = 0
  private var openedHere = 0
  /// Why the kernel gave no socket, which libcurl does not tell.
  private var socketError: Int32 = 0
  private var isSecondAttempt = false
  // What libcurl was told last, so that it need not be told again.
  private var method: HTTPMethod?
  private var hasBody = false
  private var isFreshConnectionDemanded = false
  private var isReuseForbidden = false
  private var uploadedAtLastLook = 0
  private var hasHeardGoodbye = false
  /// What the timer found.
  var onTimeout: (CurlTransfer, UpstreamFailure) -> Void = { _, _ in }

  init(
    _ configuration: UpstreamConfiguration, url: CurlURL, loop: EventLoop, sockets: CurlSocketTable
  ) throws(UpstreamError) {
    guard let easy = curl_easy_init() else { throw .libcurlFailed(reason: "no handle could be made") }
    self.easy = easy
    self.configuration = configuration
    self.url = url
    self.loop = loop
    self.sockets = sockets
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    // Unowned: it is cancelled in `deinit`.
    timer = loop.makeTimer { [unowned self] in timeIsUp() }
    let codes = CurlOptions.apply(configuration, to: easy) + installCallbacks()
    if let refused = codes.first(where: { $0 != CURLE_OK }) {
      throw .libcurlFailed(reason: CurlLibrary.text(refused))
    }
  }

  deinit {
    timer?.cancel()
    curl_easy_cleanup(easy)
    errorText.deallocate()
  }

  /// Whose handle `easy` is.
  static func of(_ easy: UnsafeMutableRawPointer) -> CurlTransfer? {
    var pointer: UnsafeMutableRawPointer?
    _ = td_easy_get_pointer(easy, CURLINFO_PRIVATE, &pointer)
    return pointer.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
  }

  private func installCallbacks() -> [CURLcode] {
    let this = Unmanaged.passUnretained(self).toOpaque()
    var codes = [
      td_easy_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText),
      td_easy_set_pointer(easy, CURLOPT_PRIVATE, this),
      // Beside CURLOPT_URL, which is then not taken apart any more.
      td_easy_set_pointer(easy, CURLOPT_CURLU, UnsafeMutableRawPointer(url.handle)),
      td_easy_on_header(easy, CurlCallbacks.header, this),
      td_easy_on_body(easy, CurlCallbacks.body, this),
      td_easy_on_request(easy, CurlCallbacks.departure, this),
      td_easy_on_open_socket(easy, CurlCallbacks.openSocket, this),
      // A connection outlives the handle that opened it, but not the table.
      td_easy_on_close_socket(
        easy, CurlCallbacks.closeSocket, Unmanaged.passUnretained(sockets).toOpaque()),
    ]
    if watchesGoodbyes { codes.append(td_easy_on_trace(easy, CurlCallbacks.trace, this)) }
    return codes
  }

  // MARK: One exchange

  /// Whether the next start may use a connection that served before.
  var mayReuse: Bool { isIdempotent && !isSecondAttempt }

  func prepare(_ exchange: UpstreamExchange, _ request: HTTPRequest, receiver: ResponseReceiver) {
    self.exchange = exchange
    self.receiver = receiver
    isIdempotent = request.method.isIdempotent
    bodyBytes = request.body.count
    departures = 0
    openedHere = 0
    socketError = 0
    isSecondAttempt = false
    uploadedAtLastLook = 0
    hasHeardGoodbye = false
    errorText[0] = 0
    if request.method != method || hasBody || !request.body.isEmpty { setMethod(request) }
    lines.fill(request, fields: exchange.sentFields, configuration)
    headers.fill(lines)
    lines.target.withUnsafeBytes {
      _ = td_easy_set_string(easy, CURLOPT_REQUEST_TARGET, $0.bindMemory(to: CChar.self).baseAddress)
    }
    _ = td_easy_set_list(easy, CURLOPT_HTTPHEADER, headers.first)
    // RFC 9110 §9.2.2: a proxy must not repeat a request that is not idempotent, and libcurl repeats what it
    // sent on a reused connection that turns out dead (B37).
    demandFreshConnection(!isIdempotent)
    forbidReuse(false)
  }

  private func demandFreshConnection(_ isDemanded: Bool) {
    guard isDemanded != isFreshConnectionDemanded else { return }
    isFreshConnectionDemanded = isDemanded
    _ = td_easy_set_long(easy, CURLOPT_FRESH_CONNECT, isDemanded ? 1 : 0)
  }

  private func forbidReuse(_ isForbidden: Bool) {
    guard isForbidden != isReuseForbidden else { return }
    isReuseForbidden = isForbidden
    _ = td_easy_set_long(easy, CURLOPT_FORBID_REUSE, isForbidden ? 1 : 0)
  }

  /// HTTPGET undoes what the last exchange set; the order of the rest matters to libcurl.
  private func setMethod(_ request: HTTPRequest) {
    _ = td_easy_set_pointer(easy, CURLOPT_POSTFIELDS, nil)
    _ = td_easy_set_long(easy, CURLOPT_HTTPGET, 1)
    if request.body.isEmpty {
      // Without NOBODY libcurl waits for the body that an answer to HEAD announces and never sends. But with
      // it no body is sent either; the odd HEAD that has one goes without, and its transfer lingers until it
      // is dropped.
      if request.method == .head { _ = td_easy_set_long(easy, CURLOPT_NOBODY, 1) }
    } else {
      _ = td_easy_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.count))
      request.body.withUnsafeBytes {
        _ = td_easy_set_string(easy, CURLOPT_COPYPOSTFIELDS, $0.bindMemory(to: CChar.self).baseAddress)
      }
    }
    _ = td_easy_set_string(easy, CURLOPT_CUSTOMREQUEST, request.method.rawValue)
    method = request.method
    hasBody = !request.body.isEmpty
  }

  /// Lets go of the exchange; the transfer is over.
  func takeExchange() -> UpstreamExchange? { exchange.take() }

  /// Lets go of the rest, and of the memory it took. No transfer may run.
  func clear() {
    timer?.cancel()
    receiver = nil
    _ = td_easy_set_list(easy, CURLOPT_HTTPHEADER, nil)
    headers.clear()
    lines.trim()
    if hasBody { _ = td_easy_set_pointer(easy, CURLOPT_POSTFIELDS, nil) }
  }

  // MARK: What libcurl tells

  func opensSocket(_ address: curl_sockaddr) -> Int32 {
    let descriptor = sockets.open(address)
    if descriptor < 0 { socketError = errno } else { openedHere += 1 }
    return descriptor
  }

  /// The request is about to leave. False keeps it here.
  func departs(to host: UnsafePointer<CChar>, _ port: Int32, from localPort: Int32) -> Bool {
    departures += 1
    sockets.take(localPort: localPort, by: self)
    exchange?.departed(to: sockets.addressText(host, port))
    wait(configuration.timeouts.firstByteMilliseconds)
    if departures == 1 {
      openedBeforeDeparture = openedHere
      return true
    }
    // libcurl sends again because a reused connection died: once, where it harms nobody, and on a new
    // connection only.
    return isIdempotent && !isSecondAttempt && departures == 2 && openedHere > openedBeforeDeparture
  }

  /// Whether another try on a new connection is in order: `departs` said no to libcurl's own, or libcurl made none
  /// although a reused connection died under the request. It counts its tries by handle, over all exchanges, and
  /// after five leaves one out.
  func takeSecondAttempt(after code: CURLcode) -> Bool {
    let wasStopped = code == CURLE_ABORTED_BY_CALLBACK && departures == 2
    let hasDied = [CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING].contains(code) && openedHere == 0
    guard wasStopped || hasDied, isIdempotent, !isSecondAttempt, let receiver, !receiver.hasSeenBytes,
      !receiver.isOver
    else { return false }
    isSecondAttempt = true
    departures = 0
    demandFreshConnection(true)
    return true
  }

  func receivesHeadLine(_ line: UnsafeRawBufferPointer) -> Bool {
    guard let receiver else { return false }
    let interimCount = receiver.interimCount
    let goesOn = receiver.receiveHeadLine(line)
    // A head that drips gets no more time than one that comes at once.
    if !receiver.isWaitingForHead || receiver.interimCount > interimCount { followUp(receiver) }
    return goesOn
  }

  func receivesBody(_ bytes: UnsafeRawBufferPointer) -> ResponseReceiver.Verdict {
    guard let receiver else { return .abort }
    let verdict = receiver.receiveBody(bytes)
    followUp(receiver)
    return verdict
  }

  private func followUp(_ receiver: ResponseReceiver) {
    if !receiver.allowsReuse { forbidReuse(true) }
    waitForMore(receiver)
  }

  private var watchesGoodbyes: Bool { configuration.origin.scheme == .https && CurlLibrary.usesOpenSSL }

  /// The origin ended TLS in order.
  func hearsGoodbye() { hasHeardGoodbye = true }

  /// What libcurl's result means; nil when nothing speaks against the answer.
  func failure(_ code: CURLcode) -> UpstreamFailure? {
    guard code == CURLE_OK else { return UpstreamFailure(evidence(code)) }
    // RFC 9112 §9.8: over TLS, a body that ends with the connection is complete only if close_notify came.
    // libcurl with its own BIO does not notice its absence (B22).
    guard watchesGoodbyes, !hasHeardGoodbye, let receiver, receiver.isInsideOpenEndedBody else { return nil }
    let detail = "\(configuration.origin) ended the connection without TLS close_notify; data may be missing."
    return UpstreamFailure(.incomplete, detail)
  }

  private func evidence(_ code: CURLcode) -> TransferEvidence {
    var evidence = TransferEvidence(origin: configuration.origin, code: code)
    evidence.text = String(cString: errorText)
    var systemError = 0
    _ = td_easy_get_long(easy, CURLINFO_OS_ERRNO, &systemError)
    evidence.systemError = socketError == 0 ? Int32(truncatingIfNeeded: systemError) : socketError
    evidence.isResolved = size(CURLINFO_NAMELOOKUP_TIME_T) > 0
    evidence.hasDeparted = departures > 0
    // The time of the first byte tells of a line that was cut short, too.
    evidence.hasSeenBytes = receiver?.hasSeenBytes == true || size(CURLINFO_STARTTRANSFER_TIME_T) > 0
    evidence.hasWholeHead = receiver?.isWaitingForHead == false
    evidence.isIdempotent = isIdempotent
    return evidence
  }

  private func size(_ info: CURLINFO) -> Int {
    var value: curl_off_t = 0
    _ = td_easy_get_size(easy, info, &value)
    return Int(value)
  }
}

// MARK: - Time

extension CurlTransfer {
  /// How long libcurl may take to notice that the message is over, before the connection is dropped.
  private static let lingerMilliseconds = 1_000

  private func wait(_ milliseconds: Int) { timer?.set(loop.now.adding(milliseconds: milliseconds)) }

  /// Sets the timer to what is waited for now: nothing while the client is the slow one.
  func waitForMore(_ receiver: ResponseReceiver) {
    if receiver.isOver {
      wait(Self.lingerMilliseconds)
    } else if receiver.isWaitingForHead {
      wait(configuration.timeouts.firstByteMilliseconds)
    } else if receiver.isPaused || receiver.isEventStream {
      timer?.cancel()
    } else {
      wait(configuration.timeouts.readIdleMilliseconds)
    }
  }

  private func timeIsUp() {
    guard let receiver else { return }
    let origin = configuration.origin
    guard receiver.isWaitingForHead else {
      let detail = "\(origin) sent nothing for \(configuration.timeouts.readIdleMilliseconds) ms."
      return onTimeout(self, UpstreamFailure(.readTimeout, detail))
    }
    let patience = configuration.timeouts.firstByteMilliseconds
    let uploaded = size(CURLINFO_SIZE_UPLOAD_T)
    if uploaded > uploadedAtLastLook {
      // The origin is still reading; the wait for its answer starts when it has read everything.
      uploadedAtLastLook = uploaded
      return wait(patience)
    }
    if uploaded < bodyBytes {
      let detail = "\(origin) read \(uploaded) of \(bodyBytes) bytes, then no more."
      return onTimeout(self, UpstreamFailure(.writeTimeout, detail))
    }
    let what = receiver.hasSeenBytes ? "did not finish its header section" : "sent no answer"
    onTimeout(self, UpstreamFailure(.firstByteTimeout, "\(origin) \(what) within \(patience) ms."))
  }
}
