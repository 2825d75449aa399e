internal import CCurl
internal import Glibc

/// One easy handle of a pool, used for one transfer after another; connections belong to the pool.
final class TransferHandle {
  let easy: UnsafeMutableRawPointer
  private(set) var id = 0
  private let errorText: UnsafeMutablePointer<CChar>
  private var fieldList: UnsafeMutablePointer<curl_slist>?
  private var transfer = Transfer("GET", "")
  private var response = TransferResponse(status: 0)
  /// The file that is sent; -1 without one.
  private var file: Int32 = -1
  private var sentBytes = 0
  /// Why we ended the transfer ourselves.
  private var refusal: TransferFailure?

  init?() {
    guard let easy = curl_easy_init() else { return nil }
    self.easy = easy
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    curl_easy_cleanup(easy)
    errorText.deallocate()
    curl_slist_free_all(fieldList)
    if file >= 0 { close(file) }
  }

  /// Sets all options; returns why the transfer cannot begin.
  func prepare(_ id: Int, _ transfer: Transfer, _ configuration: TransferPool.Configuration)
    -> TransferFailure?
  {
    curl_easy_reset(easy)
    (self.id, self.transfer, response, refusal, sentBytes) = (
      id, transfer, TransferResponse(status: 0), nil, 0
    )
    errorText[0] = 0
    curl_slist_free_all(fieldList)
    // A server that is to say 100 first would cost a round trip; our bodies are wanted.
    let lines: [String] = transfer.fields.map { "\($0.name): \($0.value)" } + ["Expect:"]
    fieldList = lines.reduce(nil) { curl_slist_append($0, $1) }
    if case .file(let path, _) = transfer.body {
      file = open(path, O_RDONLY | O_CLOEXEC)
      guard file >= 0 else {
        return TransferFailure(.unreadable, "\(path): \(String(cString: strerror(errno)))")
      }
    }
    let refused = (setRequest() + setConnection(configuration)).first { $0 != CURLE_OK }
    return refused.map { TransferFailure(.other, CurlHandle.text($0)) }
  }

  private func setRequest() -> [CURLcode] {
    let sends = ["PUT", "POST"].contains(transfer.method)
    let this = Unmanaged.passUnretained(self).toOpaque()
    return [
      td_easy_set_string(easy, CURLOPT_URL, transfer.url),
      td_easy_set_long(easy, CURLOPT_PATH_AS_IS, 1),
      td_easy_set_long(easy, CURLOPT_UPLOAD, sends ? 1 : 0),
      td_easy_set_string(easy, CURLOPT_CUSTOMREQUEST, transfer.method),
      td_easy_set_size(easy, CURLOPT_INFILESIZE_LARGE, sends ? curl_off_t(bodyBytes) : -1),
      td_easy_set_pointer(easy, CURLOPT_HTTPHEADER, fieldList),
      td_easy_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText),
      td_easy_on_receive(easy, Self.takeBody, Self.takeField, this),
      td_easy_on_send(easy, Self.giveBody, Self.seekBody, this),
    ]
  }

  private func setConnection(_ configuration: TransferPool.Configuration) -> [CURLcode] {
    [
      td_easy_set_long(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),
      td_easy_set_long(easy, CURLOPT_NOSIGNAL, 1),
      td_easy_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https"),
      td_easy_set_string(easy, CURLOPT_PROXY, ""),
      td_easy_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, configuration.connectMilliseconds),
      td_easy_set_long(easy, CURLOPT_LOW_SPEED_LIMIT, 1),
      td_easy_set_long(easy, CURLOPT_LOW_SPEED_TIME, configuration.silenceSeconds),
      // One file is parsed once, not per connection (see `CurlHandle.setSecurity`).
      td_easy_set_string(easy, CURLOPT_CAPATH, nil),
      configuration.authorities == nil
        ? CURLE_OK : td_easy_set_string(easy, CURLOPT_CAINFO, configuration.authorities),
    ]
  }

  private var bodyBytes: Int {
    switch transfer.body {
    case .bytes(let bytes): bytes.count
    case .file(_, let count): count
    }
  }

  // MARK: The outcome

  func outcome(_ code: CURLcode) -> Result<TransferResponse, TransferFailure> {
    if file >= 0 {
      close(file)
      file = -1
    }
    transfer.onPiece = nil
    if let refusal { return .failure(refusal) }
    guard code == CURLE_OK else { return .failure(failure(code)) }
    response.status = status
    return .success(response)
  }

  private var status: Int {
    var status = 0
    _ = td_easy_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
    return status
  }

  private func failure(_ code: CURLcode) -> TransferFailure {
    let reason = errorText[0] == 0 ? CurlHandle.text(code) : String(cString: errorText)
    let cause: TransferFailure.Cause =
      switch code {
      case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT: .unreachable
      case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE,
        CURLE_WEIRD_SERVER_REPLY:
        .cut
      case CURLE_OPERATION_TIMEDOUT: .timedOut
      case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE: .tls
      default: .other
      }
    return TransferFailure(cause, reason)
  }

  // MARK: Callbacks

  private static func of(_ context: UnsafeMutableRawPointer?) -> TransferHandle? {
    context.map { Unmanaged<TransferHandle>.fromOpaque($0).takeUnretainedValue() }
  }

  private static let takeBody: curl_write_callback = { bytes, size, count, context in
    guard let handle = of(context), let bytes else { return 0 }
    let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return handle.take(piece) ? piece.count : 0
  }

  private func take(_ piece: UnsafeRawBufferPointer) -> Bool {
    if let onPiece = transfer.onPiece, status == 200 {
      if onPiece(piece) { return true }
      refusal = TransferFailure(.refused, "the body is not the expected one")
      return false
    }
    guard response.body.count + piece.count <= transfer.limitBytes else {
      refusal = TransferFailure(.refused, "the body has more than \(transfer.limitBytes) bytes")
      return false
    }
    response.body += piece
    return true
  }

  private static let takeField: curl_write_callback = { bytes, size, count, context in
    guard let handle = of(context), let bytes else { return 0 }
    let line = String(decoding: UnsafeRawBufferPointer(start: bytes, count: size * count), as: UTF8.self)
    if line.hasPrefix("HTTP/") {
      // The head after an interim one.
      handle.response.fields = []
    } else if let colon = line.firstIndex(of: ":"), handle.response.fields.count < 100 {
      let value = line[colon...].dropFirst().drop { $0 == " " }
      let end = value.lastIndex { !$0.isWhitespace }.map { value.index(after: $0) } ?? value.startIndex
      handle.response.fields.append((name: String(line[..<colon]), value: String(value[..<end])))
    }
    return size * count
  }

  private static let giveBody: curl_read_callback = { buffer, size, count, context in
    guard let handle = of(context), let buffer else { return Int(CURL_READFUNC_ABORT) }
    return handle.give(UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
  }

  private func give(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    switch transfer.body {
    case .bytes(let bytes):
      let count = min(buffer.count, bytes.count - sentBytes)
      bytes.withUnsafeBytes {
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[sentBytes..<sentBytes + count]))
      }
      sentBytes += count
      return count
    case .file:
      let count = pread(file, buffer.baseAddress, buffer.count, off_t(sentBytes))
      guard count >= 0 else {
        refusal = TransferFailure(.unreadable, String(cString: strerror(errno)))
        return Int(CURL_READFUNC_ABORT)
      }
      sentBytes += count
      return count
    }
  }

  private static let seekBody: curl_seek_callback = { context, offset, origin in
    guard let handle = of(context), origin == SEEK_SET else { return CURL_SEEKFUNC_FAIL }
    handle.sentBytes = Int(offset)
    return CURL_SEEKFUNC_OK
  }
}
