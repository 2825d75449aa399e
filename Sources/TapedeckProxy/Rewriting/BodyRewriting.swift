internal import TapedeckHTTP
internal import TapedeckRecording

/// Turns the origin's address into ours in the text that is the response to one request.
///
/// A text that was announced with a length keeps one, where it is short enough to be held; longer ones go out in chunks,
/// as they come. Encoded bodies and parts of bodies stay as they are.
struct BodyRewriting {
  /// Up to here a text of known length is held, so that its new length can be told.
  static let maximumHeldBytes = 256 * 1024

  let text: OriginTextRewriter
  private let method: HTTPMethod

  /// - Parameter request: as the client sent it.
  init(_ rewriter: OriginRewriter, request: HTTPRequest) {
    text = OriginTextRewriter(rewriter, proxyAuthority: request.authority)
    method = request.method
  }

  /// Whether the body is a text that stands there as it is, and as a whole.
  static func concerns(_ head: HTTPResponseHead) -> Bool {
    guard MediaType(head.fields).isText, head.status != 206 else { return false }
    guard let coding = head.fields.text("content-encoding") else { return true }
    return coding.isEmpty || coding.lowercased() == "identity"
  }

  /// The head as it goes out before a body that may be changed.
  func head(_ head: HTTPResponseHead) -> HTTPResponseHead {
    guard Self.concerns(head) else { return head }
    var head = head
    head.fields.removeContentDigests()
    // The length of the text that a GET would get is not known (RFC 9110 §9.3.2 lets it be left out).
    if BodyFraming.hasNoBody(status: head.status, method: method) { head.fields.removeAll("content-length") }
    return head
  }

  private func changed(_ bytes: [UInt8]) -> [UInt8] {
    var text = text
    return text.rewrite(bytes) + text.finish()
  }

  /// The content with our address in it.
  func changed(_ content: ServedResponse.Content) -> ServedResponse.Content {
    switch content {
    case .prepared(let prepared):
      prepared.response.flatMap(changed).map { .response($0) } ?? content
    case .response(let response): .response(changed(response) ?? response)
    case .stream(let source): .stream(RewrittenSource(source, rewriting: self))
    }
  }

  /// The response with our address in it; `nil` where the origin's is not.
  private func changed(_ response: HTTPResponse) -> HTTPResponse? {
    var changed = response
    guard method != .head else {
      changed.head = head(response.head)
      return changed
    }
    guard Self.concerns(response.head) else { return nil }
    changed.body = self.changed(response.body)
    guard changed.body != response.body else { return nil }
    changed.head.fields.removeContentDigests()
    return changed
  }
}

extension OriginRewriter {
  /// The content with its body rewritten, where bodies are.
  func rewritten(_ content: ServedResponse.Content, for request: HTTPRequest) -> ServedResponse.Content {
    guard rules.rewritesBodies, !request.authority.isEmpty else { return content }
    return BodyRewriting(self, request: request).changed(content)
  }

  /// Whether the body of a recorded response, or what the head says of it, would be changed.
  func concerns(_ interaction: Interaction, _ body: [UInt8]) -> Bool {
    guard rules.rewritesBodies else { return false }
    var request = interaction.request
    request.authority = Array(Self.anyProxy.utf8)
    let response = HTTPResponse(head: interaction.response.head, body: body)
    if case .response(let changed) = rewritten(.response(response), for: request) {
      return changed != response
    }
    return true
  }
}

/// A stream that is rewritten on its way out.
private final class RewrittenSource: StreamFilter {
  let source: any ResponseSource
  var sink: (any ResponseSink)?
  private let rewriting: BodyRewriting
  /// `nil` where the body stays as it is.
  private var text: OriginTextRewriter?
  /// The head that waits for the length of its body, and the body up to now.
  private var held: (head: HTTPResponseHead, body: [UInt8])?

  init(_ source: any ResponseSource, rewriting: BodyRewriting) {
    self.rewriting = rewriting
    self.source = source
  }

  func begin(_ head: HTTPResponseHead, framing: BodyFraming) {
    let isConcerned = BodyRewriting.concerns(head)
    let head = rewriting.head(head)
    if isConcerned, framing != .none { text = rewriting.text }
    switch framing {
    case _ where text == nil: sink?.begin(head, framing: framing)
    case .length(let length) where length <= BodyRewriting.maximumHeldBytes: held = (head, [])
    case .length: sink?.begin(head, framing: .chunked)
    case .chunked, .untilClose, .none: sink?.begin(head, framing: framing)
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) -> SinkDemand {
    guard let rewritten = text?.rewrite(bytes) else { return pass(bytes, endsChunk: endsChunk) }
    held?.body += rewritten
    guard held == nil else { return sink == nil ? .gone : .more }
    return send(rewritten, endsChunk: endsChunk)
  }

  private func send(_ bytes: [UInt8], endsChunk: Bool) -> SinkDemand {
    guard sink != nil else { return .gone }
    return bytes.isEmpty ? .more : bytes.withUnsafeBytes { pass($0, endsChunk: endsChunk) }
  }

  /// What may have been the beginning of the origin's address is no longer held back: nothing more comes.
  func rest() {
    if let tail = text?.finish() { _ = send(tail, endsChunk: true) }
    sink?.rest()
  }

  func end(trailers: HTTPFields) {
    var rest = text?.finish() ?? []
    if let held {
      rest = held.body + rest
      sink?.begin(held.head, framing: .length(rest.count))
      self.held = nil
    }
    _ = send(rest, endsChunk: true)
    finish { $0.end(trailers: trailers) }
  }
}
