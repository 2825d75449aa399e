internal import CCurl
internal import TapedeckSockets

/// libcurl's multi handle inside an event loop, as far as connections are made with it.
///
/// libcurl must not be entered from its own callbacks; they only note what it wants, and what came of an attempt is told
/// when libcurl has returned. A connection that was made stays in the multi handle, because libcurl closes it together
/// with the handle that made it; that is what `remove` is for. Until then libcurl leaves it alone, because each handle
/// has a connection cache of its own (see `CurlHandle`).
final class CurlMulti {
  let sockets: CurlSocketTable
  private let loop: EventLoop
  private let handle: UnsafeMutableRawPointer
  private var soon: LoopTimer?
  private var later: LoopTimer?
  private var isTelling = false
  /// Whether libcurl is at work on attempts: then "now" means the next turn, lest a turn never end.
  private var isActing = false
  private var isClosed = false

  init(loop: EventLoop) throws(UpstreamError) {
    try CurlLibrary.start()
    guard let handle = curl_multi_init() else { throw .libcurlFailed(reason: "initialisation failed") }
    self.loop = loop
    self.handle = handle
    sockets = CurlSocketTable(loop: loop)
    // Unowned: `close`, at the latest in `deinit`, undoes all three.
    sockets.onReady = { [unowned self] in act($0, $1) }
    soon = loop.makeTimer { [unowned self] in act(-1, 0) }
    later = loop.makeTimer { [unowned self] in act(-1, 0) }
    _ = td_multi_set_long(handle, CURLMOPT_PIPELINING, Int(CURLPIPE_NOTHING))
    installCallbacks()
  }

  deinit { close() }

  /// Of no further use afterwards. No handle may be left in it.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    soon?.cancel()
    later?.cancel()
    curl_multi_cleanup(handle)
    sockets.onReady = { _, _ in }
  }

  private func installCallbacks() {
    let table = Unmanaged.passUnretained(sockets).toOpaque()
    _ = td_multi_on_socket(
      handle,
      { _, descriptor, what, context, _ in
        guard let context else { return 0 }
        Unmanaged<CurlSocketTable>.fromOpaque(context).takeUnretainedValue().wait(descriptor, for: what)
        return 0
      }, table)
    _ = td_multi_on_timer(
      handle,
      { _, milliseconds, context in
        guard let context else { return 0 }
        Unmanaged<CurlMulti>.fromOpaque(context).takeUnretainedValue().setTimer(milliseconds)
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Two timers, because a deadline that moves only forward costs nothing: most wishes are "now" or "in ten
  /// seconds".
  private func setTimer(_ milliseconds: Int) {
    if milliseconds != 0 { soon?.cancel() }
    if milliseconds <= 0 { later?.cancel() }
    if milliseconds == 0 { soon?.set(isActing ? .now : loop.now) }
    if milliseconds > 0 { later?.set(MonotonicTime.now.adding(milliseconds: milliseconds)) }
  }

  /// Begins to connect. False when libcurl takes no more.
  func add(_ connection: CurlHandle) -> Bool { curl_multi_add_handle(handle, connection.easy) == CURLM_OK }

  /// Ends the connection, or the attempt.
  func remove(_ connection: CurlHandle) {
    connection.giveBack()
    _ = curl_multi_remove_handle(handle, connection.easy)
  }

  private func act(_ descriptor: Int32, _ mask: Int32) {
    guard !isClosed else { return }
    isActing = true
    var running: Int32 = 0
    _ = curl_multi_socket_action(handle, descriptor, mask, &running)
    isActing = false
    tellOutcomes()
  }

  private func tellOutcomes() {
    guard !isTelling else { return }
    isTelling = true
    defer { isTelling = false }
    var result = CURLE_OK
    while !isClosed, let easy = td_multi_next_finished(handle, &result) {
      CurlHandle.of(easy)?.onConnected(result)
    }
  }
}
