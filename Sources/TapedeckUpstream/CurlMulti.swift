internal import CCurl
internal import TapedeckSockets

/// libcurl's multi handle inside an event loop.
///
/// libcurl must not be entered from its own callbacks, and those callbacks end in sinks, which may cancel,
/// resume or start anything. So there is one way in (`enter`), everything asked for meanwhile waits until
/// libcurl has returned (`whenOutside`), and finished transfers are handed out only then.
final class CurlMulti {
  let sockets: CurlSocketTable
  private let loop: EventLoop
  private let keptConnections: Int
  private var handle: UnsafeMutableRawPointer
  private var soon: LoopTimer?
  private var later: LoopTimer?
  /// Whether libcurl is at work, so that it must not be entered.
  private(set) var isInside = false
  private var isSettling = false
  /// Whether libcurl is at work on transfers: then "now" means the next turn, lest a turn never end.
  private var isActing = false
  private var isClosed = false
  private var deferred: [() -> Void] = []
  /// Whether a transfer was added that may take an idle connection.
  private var mayReuse = false
  /// Takes a finished transfer and libcurl's result.
  var onFinished: (CurlTransfer, CURLcode) -> Void = { _, _ in }

  init(loop: EventLoop, keptConnections: Int) throws(UpstreamError) {
    guard CurlLibrary.isStarted, let handle = curl_multi_init() else {
      throw .libcurlFailed(reason: "initialisation failed")
    }
    self.loop = loop
    self.handle = handle
    self.keptConnections = keptConnections
    sockets = CurlSocketTable(loop: loop)
    // Unowned: `close`, at the latest in `deinit`, undoes all three.
    sockets.onReady = { [unowned self] in act($0, $1) }
    soon = loop.makeTimer { [unowned self] in act(-1, 0) }
    later = loop.makeTimer { [unowned self] in act(-1, 0) }
    configure()
  }

  private func configure() {
    _ = td_multi_set_long(handle, CURLMOPT_PIPELINING, Int(CURLPIPE_NOTHING))
    _ = td_multi_set_long(handle, CURLMOPT_MAXCONNECTS, keptConnections)
    installCallbacks()
  }

  deinit { close() }

  /// Ends every connection. No transfer may be left in it.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    soon?.cancel()
    later?.cancel()
    curl_multi_cleanup(handle)
    sockets.onReady = { _, _ in }
  }

  /// Ends the connections that are kept for later. No transfer may be left in it: libcurl drops idle
  /// connections only when it opens others, so a new handle takes the old one's place.
  func dropConnections() {
    guard !isClosed, !isInside, let fresh = curl_multi_init() else { return }
    soon?.cancel()
    later?.cancel()
    curl_multi_cleanup(handle)
    handle = fresh
    configure()
  }

  private func installCallbacks() {
    let table = Unmanaged.passUnretained(sockets).toOpaque()
    _ = td_multi_on_socket(
      handle,
      { easy, descriptor, what, context, _ in
        guard let context else { return 0 }
        Unmanaged<CurlSocketTable>.fromOpaque(context).takeUnretainedValue()
          .wait(descriptor, for: what, by: easy)
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

  // MARK: Going in

  func add(_ transfer: CurlTransfer) -> CURLMcode {
    if transfer.mayReuse { mayReuse = true }
    var code = CURLM_OK
    enter { code = curl_multi_add_handle(handle, transfer.easy) }
    return code
  }

  func remove(_ transfer: CurlTransfer) {
    enter { _ = curl_multi_remove_handle(handle, transfer.easy) }
    sockets.release(transfer)
  }

  /// Lets a paused transfer go on; its data may come before this returns.
  func unpause(_ easy: UnsafeMutableRawPointer) {
    enter { _ = curl_easy_pause(easy, CURLPAUSE_CONT) }
  }

  private func act(_ descriptor: Int32, _ mask: Int32) {
    guard !isClosed else { return }
    if mayReuse {
      mayReuse = false
      sockets.killNoisyConnections()
    }
    isActing = true
    var running: Int32 = 0
    enter { _ = curl_multi_socket_action(handle, descriptor, mask, &running) }
    isActing = false
  }

  private func enter(_ body: () -> Void) {
    let wasInside = isInside
    isInside = true
    body()
    isInside = wasInside
    if !wasInside { settle() }
  }

  /// Runs `action` as soon as libcurl, which is at work, has returned.
  func whenOutside(_ action: @escaping () -> Void) { deferred.append(action) }

  /// Hands out what is finished and does what was put off, until neither leaves anything.
  private func settle() {
    guard !isSettling else { return }
    isSettling = true
    defer { isSettling = false }
    while !isClosed {
      var result = CURLE_OK
      if let easy = td_multi_next_finished(handle, &result) {
        if let transfer = CurlTransfer.of(easy) { onFinished(transfer, result) }
      } else if !deferred.isEmpty {
        let actions = deferred
        deferred = []
        for action in actions { action() }
      } else {
        return
      }
    }
  }
}
