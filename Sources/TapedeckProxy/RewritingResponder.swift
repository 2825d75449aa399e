internal import TapedeckHTTP
internal import TapedeckRecording

/// Turns the origin's address into ours in the texts that the rest of the chain answers with, live and replayed alike.
///
/// A text that was announced with a length keeps one, where it is short enough to be held; longer ones go out in chunks,
/// as they come. Encoded bodies and parts of bodies stay as they are.
final class RewritingResponder: Responder {
  private let chain: any Responder
  private let live: OriginRewriter?
  private let tape: LoopCopy<TapeSlot>

  /// - Parameters:
  ///   - live: knows the origin that is asked.
  ///   - tape: knows the origin that the cassette was recorded from.
  init(before chain: any Responder, live: OriginRewriter?, recorded tape: LoopCopy<TapeSlot>) {
    self.chain = chain
    self.live = live
    self.tape = tape
  }

  func respond(to request: HTTPRequest) throws -> HTTPAnswer? {
    guard var answer = try chain.respond(to: request) else { return nil }
    guard !request.authority.isEmpty, let rewriter = rewriter(for: answer.source) else { return answer }
    let rewriting = BodyRewriting(rewriter, request: request)
    switch answer.content {
    case .prepared(let prepared):
      if let response = prepared.response, let changed = rewriting.changed(response) {
        answer.content = .response(changed)
      }
    case .response(let response): answer.content = .response(rewriting.changed(response) ?? response)
    case .stream(let source): answer.content = .stream(RewrittenSource(source, rewriting: rewriting))
    }
    return answer
  }

  private func rewriter(for source: HTTPAnswer.Source) -> OriginRewriter? {
    switch source {
    case .cassette: tape.current.rewriter
    case .upstream: live
    case .route, .store, .unmatched, .server: nil
    }
  }
}

/// What is rewritten in the answer to one request.
struct BodyRewriting {
  /// Up to here a text of known length is held, so that its new length can be told.
  static let maximumHeldBytes = 256 * 1024

  private let text: OriginTextRewriter
  private let method: HTTPMethod

  init(_ rewriter: OriginRewriter, request: HTTPRequest) {
    text = OriginTextRewriter(rewriter, proxyAuthority: request.authority)
    method = request.method
  }

  /// Whether the body is a text that stands there as it is, and as a whole.
  func concerns(_ head: HTTPResponseHead) -> Bool {
    guard MediaType(head.fields).isText, head.status != 206 else { return false }
    guard let coding = head.fields.text("content-encoding") else { return true }
    return coding.isEmpty || coding.lowercased() == "identity"
  }

  func makeText() -> OriginTextRewriter { text }

  /// The head as it goes out before a body that may be changed.
  func head(_ head: HTTPResponseHead) -> HTTPResponseHead {
    var head = head
    head.fields = fields(head.fields)
    guard concerns(head) else { return head }
    head.fields.removeContentDigests()
    // The length of the text that a GET would get is not known (RFC 9110 §9.3.2 lets it be left out).
    if BodyFraming.hasNoBody(status: head.status, method: method) { head.fields.removeAll("content-length") }
    return head
  }

  /// `Link` and `Refresh` lead on as texts do (RFC 8288).
  private func fields(_ fields: HTTPFields) -> HTTPFields {
    var result = fields
    for (index, field) in fields.enumerated() where field.isNamed("link") || field.isNamed("refresh") {
      // An address in place of an address is always a valid value.
      try? result.replaceValue(at: index, with: changed(Array(field.value)))
    }
    return result
  }

  private func changed(_ bytes: [UInt8]) -> [UInt8] {
    var text = text
    return text.rewrite(bytes) + text.finish()
  }

  /// The answer with our address in it; nil where the origin's is not.
  func changed(_ response: HTTPResponse) -> HTTPResponse? {
    var changed = response
    guard method != .head else {
      changed.head = head(response.head)
      return changed
    }
    changed.head.fields = fields(response.head.fields)
    if concerns(response.head) { changed.body = self.changed(response.body) }
    if changed.body != response.body { changed.head.fields.removeContentDigests() }
    return changed == response ? nil : changed
  }
}

/// A stream that is rewritten on its way out.
private final class RewrittenSource: StreamFilter {
  private let rewriting: BodyRewriting
  /// Nil where the body stays as it is.
  private var text: OriginTextRewriter?
  /// The head that waits for the length of its body, and the body up to now.
  private var held: (head: HTTPResponseHead, body: [UInt8])?

  init(_ source: any ResponseSource, rewriting: BodyRewriting) {
    self.rewriting = rewriting
    super.init(source)
  }

  override func begin(_ head: HTTPResponseHead, framing: BodyFraming) {
    let isConcerned = rewriting.concerns(head)
    let head = rewriting.head(head)
    guard isConcerned, framing != .none else { return super.begin(head, framing: framing) }
    text = rewriting.makeText()
    switch framing {
    case .length(let length) where length <= BodyRewriting.maximumHeldBytes: held = (head, [])
    case .length: super.begin(head, framing: .chunked)
    case .chunked, .untilClose, .none: super.begin(head, framing: framing)
    }
  }

  override func write(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) -> SinkDemand {
    guard let rewritten = text?.rewrite(bytes) else { return super.write(bytes, endsChunk: endsChunk) }
    held?.body += rewritten
    guard held == nil else { return sink == nil ? .gone : .more }
    return send(rewritten, endsChunk: endsChunk)
  }

  private func send(_ bytes: [UInt8], endsChunk: Bool) -> SinkDemand {
    guard sink != nil else { return .gone }
    return bytes.isEmpty ? .more : bytes.withUnsafeBytes { super.write($0, endsChunk: endsChunk) }
  }

  override func end(trailers: HTTPFields) {
    var rest = text?.finish() ?? []
    if let held {
      rest = held.body + rest
      super.begin(held.head, framing: .length(rest.count))
      self.held = nil
    }
    _ = send(rest, endsChunk: true)
    super.end(trailers: trailers)
  }
}
