internal import TapedeckHTTP
internal import TapedeckSockets

/// An answer whose body goes out bit by bit. Little more than a piece of it is held: who sends it has to wait.
final class DrippedSource: ResponseSource, ResponseSink {
  private enum Ending {
    case rest
    case end(trailers: HTTPFields)
    case fail(HTTPResponse)
    case abort(ConnectionEnd)
  }

  private static let fullBytes = 64 * 1024

  private let source: any ResponseSource
  private let loop: EventLoop
  private var clock: DripClock
  private var sink: (any ResponseSink)?
  private var timer: LoopTimer?
  private var pending: [UInt8] = []
  private var offset = 0
  private var ending: Ending?
  private var isSinkFull = false
  private var isSourceWaiting = false
  private var isSending = false

  init(_ source: any ResponseSource, pace: DripClock.Pace, loop: EventLoop) {
    self.source = source
    self.loop = loop
    clock = DripClock(pace)
  }

  // MARK: As a source

  func start(into sink: any ResponseSink) {
    self.sink = sink
    timer = loop.makeTimer { [weak self] in self?.send() }
    source.start(into: self)
  }

  func resume() {
    isSinkFull = false
    send()
  }

  func cancel() {
    sink = nil
    timer?.cancel()
    source.cancel()
  }

  func clientLeft() {
    source.clientLeft()
    cancel()
  }

  func clientFinished() { source.clientFinished() }

  // MARK: As a sink

  func informational(_ head: HTTPResponseHead) { sink?.informational(head) }

  func begin(_ head: HTTPResponseHead, framing: BodyFraming) { sink?.begin(head, framing: framing) }

  func write(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) -> SinkDemand {
    guard sink != nil else { return .gone }
    if offset > 0 {
      pending.removeFirst(offset)
      offset = 0
    }
    pending += bytes
    sendSoon()
    guard pending.count > Self.fullBytes else { return .more }
    isSourceWaiting = true
    return .wait
  }

  func rest() { finish(.rest) }
  func end(trailers: HTTPFields) { finish(.end(trailers: trailers)) }
  func fail(_ response: HTTPResponse) { finish(.fail(response)) }
  func abort(_ end: ConnectionEnd) { finish(.abort(end)) }

  private func finish(_ ending: Ending) {
    self.ending = ending
    offset < pending.count ? sendSoon() : tellEnding()
  }

  private func tellEnding() {
    guard let sink, let ending else { return }
    self.sink = nil
    timer?.cancel()
    switch ending {
    case .rest: sink.rest()
    case .end(let trailers): sink.end(trailers: trailers)
    case .fail(let response): sink.fail(response)
    case .abort(let end): sink.abort(end)
    }
  }

  // MARK: Dripping

  /// In a turn of its own, so that every piece leaves by itself.
  private func sendSoon() {
    if timer?.isSet == false, !isSinkFull, !isSending { timer?.set(loop.now) }
  }

  private func send() {
    guard !isSending, let sink, !isSinkFull else { return }
    guard offset < pending.count else { return }
    let now = MonotonicTime.now.nanoseconds
    switch clock.next(available: pending.count - offset, now: now) {
    case .wait(let due): timer?.set(MonotonicTime(nanoseconds: due))
    case .send(let count):
      isSending = true
      let piece = offset..<offset + count
      offset += count
      let demand = pending.withUnsafeBytes {
        sink.write(UnsafeRawBufferPointer(rebasing: $0[piece]), endsChunk: true)
      }
      isSending = false
      goOn(after: demand)
    }
  }

  private func goOn(after demand: SinkDemand) {
    switch demand {
    case .gone: return cancel()
    case .wait: isSinkFull = true
    case .more: break
    }
    if offset == pending.count {
      pending.removeAll(keepingCapacity: true)
      offset = 0
      if ending != nil { return tellEnding() }
    }
    if isSourceWaiting, pending.count - offset <= Self.fullBytes / 4 {
      isSourceWaiting = false
      source.resume()
    }
    if offset < pending.count { sendSoon() }
  }
}
