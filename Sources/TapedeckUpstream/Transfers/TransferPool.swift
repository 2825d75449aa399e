internal import CCurl
internal import Glibc

/// Sends whole requests in parallel, on connections that are kept from one to the next.
///
/// For work beside the proxy's own: the calling thread waits in libcurl, so it must not be that of an event loop. A pool
/// is used by one thread at a time. Variables for proxies are not read, as for origins.
package final class TransferPool {
  package struct Configuration: Sendable {
    /// PEM file of certificate authorities to trust instead of the system's.
    package var authorities: String?
    package var parallel = 16
    package var connectMilliseconds = 10_000
    /// Time without a byte after which a transfer is given up.
    package var silenceSeconds = 30

    package init() {}
  }

  private let configuration: Configuration
  private let multi: UnsafeMutableRawPointer
  private var active: [UnsafeMutableRawPointer: TransferHandle] = [:]
  private var idle: [TransferHandle] = []

  package init(_ configuration: Configuration = Configuration()) throws(UpstreamError) {
    try CurlHandle.startLibrary()
    guard let multi = curl_multi_init() else { throw .libcurlFailed(reason: "initialisation failed") }
    self.multi = multi
    self.configuration = configuration
    _ = td_multi_set_long(multi, CURLMOPT_MAXCONNECTS, configuration.parallel)
  }

  deinit {
    for easy in active.keys { _ = curl_multi_remove_handle(multi, easy) }
    active = [:]
    idle = []
    curl_multi_cleanup(multi)
  }

  /// Runs transfers until there are no more; returns then.
  /// - Parameters:
  ///   - next: what to start; asked whenever there is room for one more.
  ///   - finish: takes the outcome of a transfer, by its id.
  package func run(
    next: () -> TransferStep, finish: (_ id: Int, Result<TransferResponse, TransferFailure>) -> Void
  ) {
    while true {
      var pause = 1000
      var hasMore = true
      while hasMore, active.count < configuration.parallel {
        switch next() {
        case .start(let id, let transfer): start(id, transfer, finish)
        case .wait(let milliseconds):
          pause = min(pause, max(1, milliseconds))
          hasMore = false
        case .none:
          if active.isEmpty { return }
          hasMore = false
        }
      }
      wait(pause)
      reportFinished(finish)
    }
  }

  private func start(
    _ id: Int, _ transfer: Transfer, _ finish: (Int, Result<TransferResponse, TransferFailure>) -> Void
  ) {
    guard let handle = idle.popLast() ?? TransferHandle() else {
      return finish(id, .failure(TransferFailure(.other, "libcurl has no handle left")))
    }
    if let failure = handle.prepare(id, transfer, configuration) {
      idle.append(handle)
      return finish(id, .failure(failure))
    }
    active[handle.easy] = handle
    _ = curl_multi_add_handle(multi, handle.easy)
  }

  private func wait(_ milliseconds: Int) {
    var running: Int32 = 0
    _ = curl_multi_perform(multi, &running)
    // Outcomes are reported before anything is waited for.
    guard Int(running) == active.count else { return }
    _ = curl_multi_poll(multi, nil, 0, Int32(milliseconds), nil)
    _ = curl_multi_perform(multi, &running)
  }

  private func reportFinished(_ finish: (Int, Result<TransferResponse, TransferFailure>) -> Void) {
    var code = CURLE_OK
    while let easy = td_multi_next_finished(multi, &code) {
      _ = curl_multi_remove_handle(multi, easy)
      guard let handle = active.removeValue(forKey: easy) else { continue }
      let outcome = handle.outcome(code)
      idle.append(handle)
      finish(handle.id, outcome)
    }
  }
}
