import TapedeckHTTP

/// A sink that keeps what it hears and holds the source to the order that `ResponseSink` promises.
final class RecordingSink: ResponseSink {
  enum Event: Equatable { case informational(Int), begin(Int), write(Int, endsChunk: Bool), end, fail(Int) }

  private(set) var events: [Event] = []
  private(set) var interim: [HTTPResponseHead] = []
  private(set) var head: HTTPResponseHead?
  private(set) var framing: BodyFraming?
  private(set) var body: [UInt8] = []
  private(set) var trailers: HTTPFields?
  private(set) var failure: HTTPResponse?
  /// Calls that came after the end, or out of order.
  private(set) var violations = 0

  var keepsBody = true
  var onBegin: () -> Void = {}
  var onWrite: (RecordingSink) -> SinkDemand = { _ in .more }
  var onOver: () -> Void = {}

  var isEnded: Bool { trailers != nil }
  var isOver: Bool { isEnded || failure != nil }
  var bodyText: String { String(decoding: body, as: UTF8.self) }
  var failureText: String { failure.map { String(decoding: $0.body, as: UTF8.self) } ?? "" }
  /// The token of `Proxy-Status`.
  var errorToken: String {
    let status = failure?.head.fields.text("proxy-status") ?? ""
    let parts = status.split(separator: ";", maxSplits: 2)
    return parts.count > 1 ? String(parts[1].dropFirst(" error=".count)) : ""
  }

  func informational(_ head: HTTPResponseHead) {
    if isOver || self.head != nil { violations += 1 }
    events.append(.informational(head.status))
    interim.append(head)
  }

  func begin(_ head: HTTPResponseHead, framing: BodyFraming) {
    if isOver || self.head != nil { violations += 1 }
    events.append(.begin(head.status))
    self.head = head
    self.framing = framing
    onBegin()
  }

  func write(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) -> SinkDemand {
    if isOver || head == nil || bytes.isEmpty { violations += 1 }
    events.append(.write(bytes.count, endsChunk: endsChunk))
    if keepsBody { body.append(contentsOf: bytes) }
    return onWrite(self)
  }

  func rest() { violations += 1 }

  func end(trailers: HTTPFields) {
    if isOver || head == nil { violations += 1 }
    events.append(.end)
    self.trailers = trailers
    finish()
  }

  func fail(_ response: HTTPResponse) {
    if isOver { violations += 1 }
    events.append(.fail(response.head.status))
    failure = response
    finish()
  }

  func abort(_ end: ConnectionEnd) { violations += 1 }

  /// The closures capture what holds the sink; they go with the last call.
  private func finish() {
    let action = onOver
    forget()
    action()
  }

  func forget() {
    onBegin = {}
    onWrite = { _ in .more }
    onOver = {}
  }
}
