internal import TapedeckHTTP
internal import TapedeckMocking
internal import TapedeckSockets

/// Sends a response's body piece by piece. It holds little more than one piece, and makes the source wait.
final class DrippedSource: StreamFilter {
  private static let fullBytes = 64 * 1024

  let source: any ResponseSource
  var sink: (any ResponseSink)?
  private let loop: EventLoop
  private var clock: DripClock
  private var timer: LoopTimer?
  private var pending: [UInt8] = []
  private var offset = 0
  /// Tells the sink how the stream ends, once everything is sent.
  private var ending: ((any ResponseSink) -> Void)?
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
    timer?.cancel()
    cancelSource()
  }

  // MARK: As a sink

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

  func rest() { end { $0.rest() } }
  func end(trailers: HTTPFields) { end { $0.end(trailers: trailers) } }
  func fail(_ response: HTTPResponse) { end { $0.fail(response) } }
  func abort(_ end: ConnectionEnd) { self.end { $0.abort(end) } }

  private func end(_ tell: @escaping (any ResponseSink) -> Void) {
    ending = tell
    offset < pending.count ? sendSoon() : tellEnding(tell)
  }

  private func tellEnding(_ tell: (any ResponseSink) -> Void) {
    if sink != nil { timer?.cancel() }
    finish(tell)
  }

  // MARK: Dripping

  /// Sends in another turn of the loop, so that every piece is written separately.
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
      if let ending { return tellEnding(ending) }
    }
    if isSourceWaiting, pending.count - offset <= Self.fullBytes / 4 {
      isSourceWaiting = false
      source.resume()
    }
    if offset < pending.count { sendSoon() }
  }
}

/// Decides how many bytes of a body may be sent, and when. It takes the time as an argument, so that tests need not wait.
struct DripClock {
  enum Pace {
    case bandwidth(bytesPerMillisecond: Int)
    /// The sizes of the pieces depend on the seed only, not on how the bytes arrive.
    case slices(ClosedRange<Int>, SplitMix64, pauseNanoseconds: Int64)
  }

  enum Step: Equatable {
    case send(Int)
    /// On the monotonic clock.
    case wait(untilNanoseconds: Int64)
  }

  /// The size of a piece, as the time that it takes at the given rate.
  private static let tickMilliseconds = 20

  private var pace: Pace
  /// The bytes of the current piece that are still missing.
  private var left = 0
  /// The time at which they may be sent.
  private var due: Int64 = 0

  init(_ pace: Pace) { self.pace = pace }

  /// The next step.
  /// - Parameter available: the number of bytes that can be sent, at least one.
  mutating func next(available: Int, now: Int64) -> Step {
    if left == 0 { beginPiece(available, now) }
    if now < due { return .wait(untilNanoseconds: due) }
    let count = min(left, available)
    left -= count
    if left == 0, case .slices(_, _, let pause) = pace { due = now + max(pause, 1) }
    return .send(count)
  }

  private mutating func beginPiece(_ available: Int, _ now: Int64) {
    switch pace {
    case .bandwidth(let rate):
      left = min(available, rate.multipliedReportingOverflow(by: Self.tickMilliseconds).partialValue)
      // Idle time is not made up for.
      due = max(due, now) + Int64(left) * 1_000_000 / Int64(rate)
    case .slices(let sizes, var generator, let pause):
      left = Int.random(in: sizes, using: &generator)
      pace = .slices(sizes, generator, pauseNanoseconds: pause)
    }
  }
}
