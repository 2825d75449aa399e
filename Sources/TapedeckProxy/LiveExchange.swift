internal import TapedeckHTTP
internal import TapedeckRecording
internal import TapedeckUpstream

/// Where one exchange is to be remembered.
struct RecordingJob {
  let tape: InsertedCassette
  let arrival: Int
}

/// An answer on its way from the origin to a client, and into the tape on the side.
///
/// Pieces go through the moment they come. Only what would complete the answer in the client's eyes — the piece that
/// reaches Content-Length, the last chunk, a head without a body — waits until the exchange is in the journal. A
/// failure or a broken answer drops the recording: only complete exchanges are remembered, and streams that the client
/// left, marked as cut. A body of known length that it left is a download that came to nothing.
final class LiveExchange: ResponseSource, ResponseSink {
  private let request: HTTPRequest
  private let client: UpstreamClient
  private let upstream: UpstreamExchange
  private let job: RecordingJob?
  private let tape: InsertedCassette
  private let rewriter: OriginRewriter?
  private var statistics: ProxyStatistics { tape.statistics }
  private var sink: (any ResponseSink)?
  private var head: HTTPResponseHead?
  private var framing = BodyFraming.none
  private var heldHead: HTTPResponseHead?
  private var heldPiece: [UInt8] = []
  private var received = 0
  /// How many bytes of the body were searched for the origin's address.
  private var searched = 0
  private var interim: [HTTPResponseHead] = []
  private var recording: ResponseRecording?

  init(request: HTTPRequest, client: UpstreamClient, tape: InsertedCassette, job: RecordingJob?) {
    self.request = request
    self.client = client
    upstream = client.fetch(request)
    self.job = job
    self.tape = tape
    rewriter = tape.liveRewriter
  }

  // MARK: As a source, to the client

  func start(into sink: any ResponseSink) {
    self.sink = sink
    upstream.start(into: self)
  }

  func resume() { upstream.resume() }

  func cancel() {
    // What is over, or was never begun, cannot fail any more.
    guard sink != nil else { return }
    drop()
    tape.countFailed(request, nil)
    upstream.cancel()
  }

  func clientLeft() {
    guard sink != nil else { return }
    let isStream = framing == .chunked || framing == .untilClose
    if isStream, received > 0, let recording {
      self.recording = nil
      recording.finish(trailers: HTTPFields(), isCutByClient: true)
    } else if isStream, job == nil {
      statistics.countForwarded()
    } else if statistics.countLeft() {
      job?.tape.tellLeft(request)
    }
    drop()
    upstream.cancel()
  }

  private func drop() {
    sink = nil
    recording?.discard()
    recording = nil
  }

  // MARK: As a sink, from the origin

  func informational(_ head: HTTPResponseHead) {
    if job != nil { interim.append(head) }
    var outgoing = head
    if let rewriter { outgoing.fields = rewriter.rewritten(head.fields, proxyAuthority: request.authority) }
    sink?.informational(outgoing)
  }

  func begin(_ head: HTTPResponseHead, framing: BodyFraming) {
    self.head = head
    self.framing = framing
    if let job {
      recording = ResponseRecording(
        job: job, request: request, sentFields: upstream.sentFields, upstream: upstream, interim: interim,
        head: head, framing: framing)
    }
    var outgoing = head
    if let rewriter {
      rewriter.search(head.fields, for: statistics.mentions, of: shownRequest)
      outgoing.fields = rewriter.rewritten(head.fields, proxyAuthority: request.authority)
    }
    if recording != nil, framing == .none || framing == .length(0) {
      heldHead = outgoing
    } else {
      sink?.begin(outgoing, framing: framing)
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) -> SinkDemand {
    guard let sink else { return .gone }
    search(bytes)
    guard let recording else { return sink.write(bytes, endsChunk: endsChunk) }
    recording.append(bytes, endsChunk: endsChunk)
    received += bytes.count
    if case .length(received) = framing {
      heldPiece = Array(bytes)
      return .more
    }
    return sink.write(bytes, endsChunk: endsChunk)
  }

  /// Looks for the origin's address in the beginning of a text, of each piece by itself.
  private func search(_ bytes: UnsafeRawBufferPointer) {
    guard searched < OriginRewriter.searchedBodyBytes, let head, let rewriter else { return }
    searched += bytes.count
    rewriter.search(head, body: bytes, for: statistics.mentions, of: shownRequest)
  }

  private func shownRequest() -> HTTPRequest {
    var shown = request
    shown.target = tape.shownTarget(request)
    return shown
  }

  func rest() { sink?.rest() }

  func end(trailers: HTTPFields) {
    guard let sink else { return }
    self.sink = nil
    if let recording {
      recording.finish(trailers: trailers)
      self.recording = nil
    } else {
      tape.statistics.countForwarded()
    }
    if let heldHead { sink.begin(heldHead, framing: framing) }
    if !heldPiece.isEmpty { _ = heldPiece.withUnsafeBytes { sink.write($0, endsChunk: true) } }
    sink.end(trailers: trailers)
  }

  func fail(_ response: HTTPResponse) {
    let sink = sink
    drop()
    tape.countFailed(request, response.failure)
    sink?.fail(response)
  }

  func abort(_ end: ConnectionEnd) {
    let sink = sink
    drop()
    tape.countFailed(request, nil)
    sink?.abort(end)
  }
}
