internal import TapedeckHTTP

/// Patches a stream on its way out. A body that a patch changes is held until it is complete, up to a limit.
final class PatchedSource: StreamFilter {
  let source: any ResponseSource
  var sink: (any ResponseSink)?
  private let patching: Patching
  private var held: (response: HTTPResponse, framing: BodyFraming)?
  /// The number of bytes to hold from the beginning of the body; `nil` for all.
  private var heldBytes: Int?
  private var dropsBody = false
  /// Of a stream whose events are patched as they come.
  private var events: EventPatching?

  init(_ source: any ResponseSource, patching: Patching) {
    self.patching = patching
    self.source = source
  }

  func begin(_ head: HTTPResponseHead, framing: BodyFraming) {
    guard head.status != 101 else {
      patching.noteWebSocket()
      sink?.begin(head, framing: framing)
      return
    }
    if let events = patching.eventPatching(head) { return begin(events, head, framing) }
    guard patching.changesBody else { return beginUnheld(head, framing) }
    if let obstacle = patching.obstacle(head) {
      patching.remark(obstacle)
    } else if case .length(let length) = framing, length > Patching.maximumHeldBytes,
      !mayDropRest(head)
    {
      patching.remark(Self.tooLarge)
    } else {
      held = (HTTPResponse(head: head), framing)
      heldBytes = mayDropRest(head) ? patching.neededBytes : nil
      return
    }
    beginUnheld(head, framing)
  }

  private func begin(_ events: EventPatching, _ head: HTTPResponseHead, _ framing: BodyFraming) {
    var changed = patching.head(head, isBodyChanged: true)
    changed.fields.removeAll("content-length")
    dropsBody = !patching.hasBody(changed)
    if !dropsBody { self.events = events }
    let isOpen = framing == .chunked || framing == .untilClose
    sink?.begin(changed, framing: dropsBody ? .none : isOpen ? framing : .chunked)
  }

  /// Sends events, each in a chunk of its own. After the last of a stream that is cut, its source is left.
  private func send(_ pieces: [[UInt8]]) -> SinkDemand {
    var demand: SinkDemand = sink == nil ? .gone : .more
    for piece in pieces where demand != .gone && !piece.isEmpty {
      demand = piece.withUnsafeBytes { pass($0, endsChunk: true) }
    }
    guard let events, events.isCut, sink != nil else { return demand }
    patching.note(events)
    self.events = nil
    finish { $0.end(trailers: HTTPFields()) }
    source.clientLeft()
    return .gone
  }

  private static let tooLarge = "the body has more than \(Patching.maximumHeldBytes >> 20) MiB"

  /// Whether only the beginning of the body is needed, and it has no content coding.
  private func mayDropRest(_ head: HTTPResponseHead) -> Bool {
    patching.neededBytes != nil && !head.fields.contains("content-encoding")
  }

  private func beginUnheld(_ head: HTTPResponseHead, _ framing: BodyFraming) {
    let changed = patching.headAlone(head)
    dropsBody = patching.hasBody(head) && !patching.hasBody(changed)
    // A body that did not exist counts as empty.
    let gainsBody = patching.hasBody(changed) && !patching.hasBody(head)
    sink?.begin(changed, framing: dropsBody ? .none : gainsBody ? .length(0) : framing)
  }

  func write(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) -> SinkDemand {
    let onward: SinkDemand = sink == nil ? .gone : .more
    if dropsBody { return onward }
    if let pieces = events?.append(bytes) { return send(pieces) }
    guard let count = held?.response.body.count else { return pass(bytes, endsChunk: endsChunk) }
    if let heldBytes {
      held?.response.body += UnsafeRawBufferPointer(rebasing: bytes.prefix(max(0, heldBytes - count)))
      return onward
    }
    held?.response.body += bytes
    return count + bytes.count > Patching.maximumHeldBytes ? release(because: Self.tooLarge) : onward
  }

  /// Sends on unchanged a body that cannot be held until its end.
  private func release(because remark: String) -> SinkDemand {
    guard let held = held.take() else { return .more }
    patching.remark(remark)
    beginUnheld(held.response.head, held.framing)
    if dropsBody { return sink == nil ? .gone : .more }
    return held.response.body.withUnsafeBytes { pass($0, endsChunk: false) }
  }

  func rest() {
    if let events {
      patching.note(events)
      sink?.rest()
      return
    }
    if let heldBytes, let held, held.response.body.count >= heldBytes { return end(trailers: HTTPFields()) }
    _ = release(because: "the body has no end: its client left while it was recorded")
    sink?.rest()
  }

  func end(trailers: HTTPFields) {
    if let pieces = events?.finish() {
      _ = send(pieces)
      if let events { patching.note(events) }
      return finish { $0.end(trailers: HTTPFields()) }
    }
    guard let held = held.take() else {
      return finish { $0.end(trailers: dropsBody ? HTTPFields() : trailers) }
    }
    var response = held.response
    response.trailers = trailers
    response = patching.patched(response)
    sink?.begin(response.head, framing: framing(of: response, like: held.framing))
    if !response.body.isEmpty { _ = response.body.withUnsafeBytes { pass($0, endsChunk: true) } }
    finish { $0.end(trailers: response.trailers) }
  }

  private func framing(of response: HTTPResponse, like framing: BodyFraming) -> BodyFraming {
    guard patching.hasBody(response.head) else { return .none }
    return framing == .chunked || framing == .untilClose ? framing : .length(response.body.count)
  }

  func fail(_ response: HTTPResponse) {
    patching.failed()
    finish { $0.fail(response) }
  }
}
