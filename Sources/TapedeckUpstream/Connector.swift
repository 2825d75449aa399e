internal import CCurl
internal import Glibc
internal import TapedeckSockets

/// Makes connections with libcurl inside an event loop, with one multi handle.
///
/// libcurl must not be called from its own callbacks, so outcomes are reported after it returns. An open
/// connection stays in the multi handle, because removing its easy handle closes it (`disconnect`). Until
/// then libcurl does not touch it, because each easy handle has its own connection cache (see `CurlHandle`).
final class Connector {
  private let loop: EventLoop
  private let multi: UnsafeMutableRawPointer
  private let onOpened: () -> Void
  private var waiting: [Int32: EventLoop.Registration] = [:]
  private(set) var taken: [Int32: CurlHandle] = [:]
  private(set) var openedCount = 0
  private var soon: LoopTimer?
  private var later: LoopTimer?
  private var isReporting = false
  /// Whether libcurl is running. A timer that it sets to "now" then fires in the next turn.
  private var isActing = false
  private var isClosed = false

  init(loop: EventLoop, onOpened: @escaping () -> Void = {}) throws(UpstreamError) {
    try CurlHandle.startLibrary()
    guard let multi = curl_multi_init() else { throw .libcurlFailed(reason: "initialisation failed") }
    self.loop = loop
    self.multi = multi
    self.onOpened = onOpened
    // Unowned: `close` cancels both, at the latest in `deinit`.
    soon = loop.makeTimer { [unowned self] in act(-1, 0) }
    later = loop.makeTimer { [unowned self] in act(-1, 0) }
    _ = td_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_NOTHING))
    installCallbacks()
  }

  deinit { close() }

  /// Must be called last, after every handle was disconnected.
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

  static func of(_ context: UnsafeMutableRawPointer?) -> Connector? {
    context.map { Unmanaged<Connector>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Starts connecting; `onConnected` of the handle is called later. Returns false when libcurl refuses.
  func connect(_ handle: CurlHandle) -> Bool { curl_multi_add_handle(multi, handle.easy) == CURLM_OK }

  func disconnect(_ handle: CurlHandle) {
    handle.giveBack()
    _ = curl_multi_remove_handle(multi, handle.easy)
  }

  /// Uses two timers because postponing a deadline is free: libcurl mostly wants "now" or "in ten seconds".
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
    reportOutcomes()
  }

  private func reportOutcomes() {
    guard !isReporting else { return }
    isReporting = true
    defer { isReporting = false }
    var result = CURLE_OK
    while !isClosed, let easy = td_multi_next_finished(multi, &result) {
      CurlHandle.of(easy)?.onConnected(result)
    }
  }

  /// Handles the events of a socket, or of a pipe of libcurl's resolver.
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

  /// - Parameter what: CURL_POLL_IN, OUT, INOUT or REMOVE.
  private func wait(_ descriptor: Int32, for what: Int32) {
    guard what != CURL_POLL_REMOVE else { return stopWaiting(descriptor) }
    var interest: Interest = []
    if what & CURL_POLL_IN != 0 { interest.insert(.read) }
    if what & CURL_POLL_OUT != 0 { interest.insert(.write) }
    if let registration = waiting[descriptor] { return loop.change(registration, interest) }
    // If the kernel refuses, the attempt times out.
    waiting[descriptor] = try? loop.add(descriptor, interest, handler: Waiter(descriptor, self))
  }

  private func stopWaiting(_ descriptor: Int32) {
    if let registration = waiting.removeValue(forKey: descriptor) { loop.remove(registration) }
  }

  func openSocket(_ address: curl_sockaddr) -> Int32 {
    let kind = address.socktype | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.family, kind, address.protocol)
    guard descriptor >= 0 else { return -1 }
    openedCount += 1
    onOpened()
    return descriptor
  }

  /// Closes a socket for libcurl. If it was not given back, its handle is told before the number is reused.
  func closeSocket(_ descriptor: Int32) {
    stopWaiting(descriptor)
    taken.removeValue(forKey: descriptor)?.lose()
    Glibc.close(descriptor)
  }

  func take(_ descriptor: Int32, for handle: CurlHandle) {
    stopWaiting(descriptor)
    taken[descriptor] = handle
  }

  /// Returns `descriptor` to libcurl.
  func giveBack(_ descriptor: Int32) { taken[descriptor] = nil }
}
