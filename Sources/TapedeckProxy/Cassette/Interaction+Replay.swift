internal import Synchronization
internal import TapedeckHTTP
internal import TapedeckRecording
internal import TapedeckSockets

/// Recorded interactions as answers.
struct Replay {
  let pace: ReplayPace
  let onCut: CutPolicy
  let loop: EventLoop
  let mentions: OriginMentions

  /// The answer as it always goes on the wire; nil when it depends on the client (it names the origin), is more than one
  /// head and one whole body, or does not belong in memory.
  /// - Parameter mentions: told of what names the origin and is left as it is.
  static func prepare(
    _ interaction: Interaction, rewriter: OriginRewriter?, mentions: OriginMentions
  ) -> PreparedResponse? {
    let head = interaction.response.head
    rewriter?.search(head.fields, for: mentions) { interaction.request }
    guard case .bytes(let body) = interaction.response.body else { return nil }
    if let rewriter {
      body.withUnsafeBytes { rewriter.search(head, body: $0, for: mentions) { interaction.request } }
      if rewriter.concerns(head.fields) || rewriter.concerns(interaction, body) { return nil }
    }
    return isStreamed(interaction) ? nil : prepared(interaction, head: head, body: body)
  }

  /// - Parameter rewriter: knows the origin that was recorded.
  func answer(_ answer: StoredInteraction, to request: HTTPRequest, rewriter: OriginRewriter?)
    -> ServedResponse
  {
    ServedResponse(content(answer, to: request, rewriter), by: .cassette)
  }

  private func content(
    _ answer: StoredInteraction, to request: HTTPRequest, _ rewriter: OriginRewriter?
  ) -> ServedResponse.Content {
    var interaction: Interaction
    do throws(CassetteError) {
      if case .instant = pace, let prepared = try answer.prepared(by: rewriter, mentions: mentions) {
        return .prepared(prepared)
      }
      interaction = try answer.read()
    } catch {
      return .response(Self.failure(error))
    }
    var head = interaction.response.head
    guard let rewriter else { return content(interaction, head: head) }
    head.fields = rewriter.rewritten(head.fields, proxyAuthority: request.authority)
    for index in interaction.response.interim.indices {
      let fields = interaction.response.interim[index].fields
      interaction.response.interim[index].fields = rewriter.rewritten(
        fields, proxyAuthority: request.authority)
    }
    return rewriter.rewritten(content(interaction, head: head), for: request)
  }

  private func content(_ interaction: Interaction, head: HTTPResponseHead) -> ServedResponse.Content {
    if pace != .instant || Self.isStreamed(interaction) {
      return .stream(PacedSource(interaction, head: head, pace: pace, onCut: onCut, loop: loop))
    }
    switch interaction.response.body {
    case .bytes(let body): return .prepared(Self.prepared(interaction, head: head, body: body))
    case .file(let file): return .stream(BodyFileSource(file, head: head, interaction: interaction))
    }
  }

  /// Whether interim responses go before it, or it has no end.
  private static func isStreamed(_ interaction: Interaction) -> Bool {
    !interaction.response.interim.isEmpty || interaction.response.isCutByClient
  }

  private static func prepared(
    _ interaction: Interaction, head: HTTPResponseHead, body: [UInt8]
  ) -> PreparedResponse {
    let response = HTTPResponse(head: head, body: body, trailers: interaction.response.trailers)
    return PreparedResponse(response, to: interaction.request.method, chunks: chunkSizes(interaction))
  }

  /// An answer that ended with its connection goes out in one chunk: its length was not known then either.
  private static func chunkSizes(_ interaction: Interaction) -> [Int]? {
    let response = interaction.response
    return response.chunkSizes ?? (response.isCloseDelimited || response.isCutByClient ? [] : nil)
  }

  /// How an answer that is streamed is framed for the client.
  static func framing(_ interaction: Interaction) -> BodyFraming {
    let response = interaction.response
    if BodyFraming.hasNoBody(status: response.head.status, method: interaction.request.method) {
      return .none
    }
    return chunkSizes(interaction) == nil ? .length(response.body.count) : .chunked
  }

  /// What a client gets when a recorded body cannot be read any more.
  static func failure(_ error: any Error) -> HTTPResponse {
    HTTPResponse(status: 500, contentType: "text/plain; charset=utf-8", body: Array("\(error)\n".utf8))
  }
}

extension StoredInteraction {
  /// What is sent for the interaction, made when it is first asked for; `nil` where it is made for each request.
  func prepared(
    by rewriter: OriginRewriter?, mentions: OriginMentions
  ) throws(CassetteError) -> PreparedResponse? {
    if let known = preparation.load() { return known.response }
    let response = Replay.prepare(try read(), rewriter: rewriter, mentions: mentions)
    return preparation.storeIfNil(Preparation(response)).response
  }
}
