internal import TapedeckHTTP

/// A stream that is patched on its way out. A body that is to be changed is held until it is whole, up to a bound.
final class PatchedSource: StreamFilter {
  let source: any ResponseSource
  var sink: (any ResponseSink)?
  private struct Held {
    var response: HTTPResponse
    var framing: BodyFraming
  }

  private let patching: Patching
  private var held: Held?
  /// Of how much the beginning is held; nil for all of it.
  private var heldBytes: Int?
  private var dropsBody = false

  init(_ source: any ResponseSource, patching: Patching) {
    self.patching = patching
    self.source = source
  }

  func begin(_ head: HTTPResponseHead, framing: BodyFraming) {
    guard patching.changesBody else { return beginUnheld(head, framing) }
    if let obstacle = patching.obstacle(head) {
      patching.remark(obstacle)
    } else if case .length(let length) = framing, length > Patching.maximumHeldBytes,
      !mayDropRest(head)
    {
      patching.remark(Self.tooLarge)
    } else {
      held = Held(response: HTTPResponse(head: head), framing: framing)
      heldBytes = mayDropRest(head) ? patching.neededBytes : nil
      return
    }
    beginUnheld(head, framing)
  }

  private static let tooLarge = "the body has more than \(Patching.maximumHeldBytes >> 20) MiB"

  /// Whether only the beginning of the body is wanted, which stands there as it is.
  private func mayDropRest(_ head: HTTPResponseHead) -> Bool {
    patching.neededBytes != nil && !head.fields.contains("content-encoding")
  }

  private func beginUnheld(_ head: HTTPResponseHead, _ framing: BodyFraming) {
    let changed = patching.headAlone(head)
    dropsBody = patching.hasBody(head) && !patching.hasBody(changed)
    // A body that there never was is an empty one.
    let gainsBody = patching.hasBody(changed) && !patching.hasBody(head)
    sink?.begin(changed, framing: dropsBody ? .none : gainsBody ? .length(0) : framing)
  }

  func write(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) -> SinkDemand {
    let onward: SinkDemand = sink == nil ? .gone : .more
    if dropsBody { return onward }
    guard let count = held?.response.body.count else { return pass(bytes, endsChunk: endsChunk) }
    if let heldBytes {
      held?.response.body += UnsafeRawBufferPointer(rebasing: bytes.prefix(max(0, heldBytes - count)))
      return onward
    }
    held?.response.body += bytes
    return count + bytes.count > Patching.maximumHeldBytes ? release(because: Self.tooLarge) : onward
  }

  /// It cannot be held until its end: on it goes as it is.
  private func release(because remark: String) -> SinkDemand {
    guard let held = held.take() else { return .more }
    patching.remark(remark)
    beginUnheld(held.response.head, held.framing)
    if dropsBody { return sink == nil ? .gone : .more }
    return held.response.body.withUnsafeBytes { pass($0, endsChunk: false) }
  }

  func rest() {
    if let heldBytes, let held, held.response.body.count >= heldBytes { return end(trailers: HTTPFields()) }
    _ = release(because: "the body has no end: its client left while it was recorded")
    sink?.rest()
  }

  func end(trailers: HTTPFields) {
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
