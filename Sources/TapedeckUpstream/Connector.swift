internal import CCurl
internal import Glibc
internal import TapedeckSockets

/// Has libcurl make connections inside an event loop, with one multi handle.
///
/// libcurl must not be entered from its own callbacks; they only note what it wants, and what came of an attempt is told
/// when libcurl has returned. A connection that was made stays in the multi handle, because libcurl closes it together
/// with the handle that made it; that is what `disconnect` is for. Until then libcurl leaves it alone, because each
/// handle has a connection cache of its own (see `CurlHandle`).
final class Connector {
  private let loop: EventLoop
  private let multi: UnsafeMutableRawPointer
  private let onOpened: () -> Void
  /// The descriptors that libcurl waits for while it connects.
  private var waiting: [Int32: EventLoop.Registration] = [:]
  /// The handles that use the connections which libcurl made, by descriptor.
  private(set) var taken: [Int32: CurlHandle] = [:]
  /// How many sockets were opened so far.
  private(set) var openedCount = 0
  private var soon: LoopTimer?
  private var later: LoopTimer?
  private var isTelling = false
  /// Whether libcurl is at work on attempts. "Now" then means the next turn, so that a turn comes to its end.
  private var isActing = false
  private var isClosed = false

  /// - Parameter onOpened: called for every socket.
  init(loop: EventLoop, onOpened: @escaping () -> Void = {}) throws(UpstreamError) {
    try CurlLibrary.start()
    guard let multi = curl_multi_init() else { throw .libcurlFailed(reason: "initialisation failed") }
    self.loop = loop
    self.multi = multi
    self.onOpened = onOpened
    // Unowned: `close`, at the latest in `deinit`, undoes both.
    soon = loop.makeTimer { [unowned self] in act(-1, 0) }
    later = loop.makeTimer { [unowned self] in act(-1, 0) }
    _ = td_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_NOTHING))
    installCallbacks()
  }

  deinit { close() }

  /// Of no further use afterwards. No handle may be left in it.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    soon?.cancel()
    later?.cancel()
    curl_multi_cleanup(multi)
    for registration in waiting.values { loop.remove(registration) }
    waiting = [:]
  }

  private func installCallbacks() {
    let this = Unmanaged.passUnretained(self).toOpaque()
    _ = td_multi_on_socket(
      multi,
      { _, descriptor, what, context, _ in
        Connector.of(context)?.wait(descriptor, for: what)
        return 0
      }, this)
    _ = td_multi_on_timer(
      multi,
      { _, milliseconds, context in
        Connector.of(context)?.setTimer(milliseconds)
        return 0
      }, this)
  }

  /// The connector that a callback was installed with.
  static func of(_ context: UnsafeMutableRawPointer?) -> Connector? {
    context.map { Unmanaged<Connector>.fromOpaque($0).takeUnretainedValue() }
  }

  // MARK: Connecting

  /// Begins to connect; `onConnected` of the handle hears of the outcome. False when libcurl takes no more.
  func connect(_ handle: CurlHandle) -> Bool { curl_multi_add_handle(multi, handle.easy) == CURLM_OK }

  /// Ends the connection, or the attempt.
  func disconnect(_ handle: CurlHandle) {
    handle.giveBack()
    _ = curl_multi_remove_handle(multi, handle.easy)
  }

  /// Two timers, because a deadline that moves only forward costs nothing: most wishes are "now" or "in ten
  /// seconds".
  private func setTimer(_ milliseconds: Int) {
    guard !isClosed else { return }
    if milliseconds != 0 { soon?.cancel() }
    if milliseconds <= 0 { later?.cancel() }
    if milliseconds == 0 { soon?.set(isActing ? .now : loop.now) }
    if milliseconds > 0 { later?.set(MonotonicTime.now.adding(milliseconds: milliseconds)) }
  }

  private func act(_ descriptor: Int32, _ mask: Int32) {
    guard !isClosed else { return }
    isActing = true
    var running: Int32 = 0
    _ = curl_multi_socket_action(multi, descriptor, mask, &running)
    isActing = false
    tellOutcomes()
  }

  private func tellOutcomes() {
    guard !isTelling else { return }
    isTelling = true
    defer { isTelling = false }
    var result = CURLE_OK
    while !isClosed, let easy = td_multi_next_finished(multi, &result) {
      CurlHandle.of(easy)?.onConnected(result)
    }
  }

  // MARK: Waiting

  /// Hears of one descriptor: a socket, or a pipe of libcurl's resolver.
  private final class Waiter: EventHandler {
    private let descriptor: Int32
    private unowned let connector: Connector

    init(_ descriptor: Int32, _ connector: Connector) {
      self.descriptor = descriptor
      self.connector = connector
    }

    func descriptorReady(_ readiness: Readiness) {
      var mask: Int32 = 0
      if readiness.isReadable { mask |= CURL_CSELECT_IN }
      if readiness.isWritable { mask |= CURL_CSELECT_OUT }
      if readiness.isBroken { mask |= CURL_CSELECT_ERR }
      connector.act(descriptor, mask)
    }
  }

  /// libcurl's wish for `descriptor`: CURL_POLL_IN, OUT, INOUT or REMOVE.
  private func wait(_ descriptor: Int32, for what: Int32) {
    guard what != CURL_POLL_REMOVE else { return stopWaiting(descriptor) }
    var interest: Interest = []
    if what & CURL_POLL_IN != 0 { interest.insert(.read) }
    if what & CURL_POLL_OUT != 0 { interest.insert(.write) }
    if let registration = waiting[descriptor] { return loop.change(registration, interest) }
    // Should the kernel refuse, the attempt runs into its timeout, which is the most that can be done here.
    waiting[descriptor] = try? loop.add(descriptor, interest, handler: Waiter(descriptor, self))
  }

  private func stopWaiting(_ descriptor: Int32) {
    if let registration = waiting.removeValue(forKey: descriptor) { loop.remove(registration) }
  }

  // MARK: Sockets

  /// Opens a socket for libcurl; -1 when the kernel refuses.
  func openSocket(_ address: curl_sockaddr) -> Int32 {
    let kind = address.socktype | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.family, kind, address.protocol)
    guard descriptor >= 0 else { return -1 }
    openedCount += 1
    onOpened()
    return descriptor
  }

  /// Closes a socket for libcurl. A taken one is closed only when `giveBack` came first; if libcurl should ever close
  /// another, its user hears of it while the number is still its own.
  func closeSocket(_ descriptor: Int32) {
    stopWaiting(descriptor)
    taken.removeValue(forKey: descriptor)?.lose()
    Glibc.close(descriptor)
  }

  /// Makes `descriptor` the connection of `handle`.
  func take(_ descriptor: Int32, for handle: CurlHandle) {
    stopWaiting(descriptor)
    taken[descriptor] = handle
  }

  /// Leaves `descriptor` to libcurl again.
  func giveBack(_ descriptor: Int32) { taken[descriptor] = nil }
}
