internal import TapedeckHTTP
internal import TapedeckSockets

/// Cuts a response's body off after a number of bytes. A shorter body passes whole.
final class LimitedSource: StreamFilter {
  let source: any ResponseSource
  var sink: (any ResponseSink)?
  private var left: Int
  private let version: HTTPVersion
  /// A reset if the end of the connection is the end of the body, since a regular end would look complete.
  private var end = ConnectionEnd.close(after: [])

  /// - Parameter version: the client's HTTP version.
  init(_ source: any ResponseSource, limit: Int, version: HTTPVersion) {
    left = limit
    self.version = version
    self.source = source
  }

  func begin(_ head: HTTPResponseHead, framing: BodyFraming) {
    if version == .http10, framing == .chunked || framing == .untilClose { end = .reset }
    sink?.begin(head, framing: framing)
  }

  func write(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) -> SinkDemand {
    guard bytes.count > left else {
      left -= bytes.count
      return pass(bytes, endsChunk: endsChunk)
    }
    if left > 0 { _ = pass(UnsafeRawBufferPointer(rebasing: bytes[..<left]), endsChunk: true) }
    breakOff(end)
    return .gone
  }
}

/// A response that begins as valid chunks and continues with malformed ones.
final class MalformedSource: StreamFilter {
  let source: any ResponseSource
  var sink: (any ResponseSink)?
  private let garbage: [UInt8]

  init(_ source: any ResponseSource, garbage: [UInt8]) {
    self.garbage = garbage
    self.source = source
  }

  func begin(_ head: HTTPResponseHead, framing: BodyFraming) {
    sink?.begin(head, framing: framing == .none ? .none : .chunked)
  }

  func write(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) -> SinkDemand {
    _ = pass(bytes, endsChunk: endsChunk)
    breakOff(.close(after: garbage))
    return .gone
  }

  func end(trailers: HTTPFields) { abort(.close(after: garbage)) }
}

/// Delays the end of a response: its whole body is sent, and the connection stays open for a while.
final class SlowlyClosedSource: StreamFilter {
  let source: any ResponseSource
  var sink: (any ResponseSink)?
  private let milliseconds: Int
  private let loop: EventLoop
  private var timer: LoopTimer?

  init(_ source: any ResponseSource, milliseconds: Int, loop: EventLoop) {
    self.milliseconds = milliseconds
    self.loop = loop
    self.source = source
  }

  func end(trailers: HTTPFields) {
    timer = loop.timer(afterNanoseconds: Int64(milliseconds) * 1_000_000) { [weak self] in
      self?.finish { $0.end(trailers: trailers) }
    }
  }

  func cancel() {
    timer?.cancel()
    cancelSource()
  }
}

/// Discards a response and ends the connection instead.
final class WithheldSource: StreamFilter {
  let source: any ResponseSource
  var sink: (any ResponseSink)?
  private let milliseconds: Int?
  private let connectionEnd: ConnectionEnd
  private let loop: EventLoop
  private var timer: LoopTimer?
  /// The connection ends once both are true.
  private var hasResponse: Bool
  private var isTime = false

  /// - Parameters:
  ///   - milliseconds: the time from the request to the end of the connection; `nil` for no end.
  ///   - awaitsResponse: whether the connection stays open at least until the response begins.
  init(
    _ source: any ResponseSource, until milliseconds: Int?, awaitsResponse: Bool, end: ConnectionEnd,
    loop: EventLoop
  ) {
    self.source = source
    self.milliseconds = milliseconds
    connectionEnd = end
    self.loop = loop
    hasResponse = !awaitsResponse
  }

  // MARK: As a source

  func start(into sink: any ResponseSink) {
    self.sink = sink
    source.start(into: self)
    guard let milliseconds, self.sink != nil else { return }
    timer = loop.timer(afterNanoseconds: Int64(milliseconds) * 1_000_000) { [weak self] in
      self?.isTime = true
      self?.endIfDue()
    }
  }

  func resume() {}

  func cancel() {
    timer?.cancel()
    cancelSource()
  }

  /// Ends the connection, which would otherwise stay open for ever.
  func clientFinished() {
    guard connectionEnd == .close(after: []) else { return }
    (isTime, hasResponse) = (true, true)
    endIfDue()
  }

  private func endIfDue() {
    guard isTime, hasResponse, sink != nil else { return }
    finish { $0.abort(connectionEnd) }
    cancel()
  }

  // MARK: As a sink

  func informational(_ head: HTTPResponseHead) {}
  func begin(_ head: HTTPResponseHead, framing: BodyFraming) { responded() }
  func write(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) -> SinkDemand { sink == nil ? .gone : .more }
  func rest() { responded() }
  func end(trailers: HTTPFields) { responded() }
  func fail(_ response: HTTPResponse) { responded() }
  func abort(_ end: ConnectionEnd) { responded() }

  private func responded() {
    hasResponse = true
    endIfDue()
  }
}
