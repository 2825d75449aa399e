internal import TapedeckHTTP
internal import TapedeckRecording
internal import TapedeckSockets

/// Recorded interactions as answers.
struct Replay {
  let pace: ReplayPace
  let loop: EventLoop

  /// The answer as it always goes on the wire; nil when it depends on the client (it names the origin) or does not
  /// belong in memory.
  static func prepare(_ interaction: Interaction, rewriter: OriginRewriter?) -> PreparedResponse? {
    guard case .bytes(let body) = interaction.response.body else { return nil }
    if let rewriter, rewriter.concerns(interaction.response.head.fields) { return nil }
    return prepared(interaction, head: interaction.response.head, body: body)
  }

  /// - Parameter rewriter: knows the origin that was recorded.
  func answer(_ answer: RecordedAnswer, to request: HTTPRequest, rewriter: OriginRewriter?) -> HTTPAnswer {
    HTTPAnswer(content(answer, to: request, rewriter), by: .cassette)
  }

  private func content(
    _ answer: RecordedAnswer, to request: HTTPRequest, _ rewriter: OriginRewriter?
  ) -> HTTPAnswer.Content {
    let recorded: AnswerContent
    do throws(CassetteError) { recorded = try answer.read() } catch { return .response(Self.failure(error)) }
    if case .instant = pace, let prepared = recorded.prepared { return .prepared(prepared) }
    let interaction = recorded.interaction
    var head = interaction.response.head
    if let rewriter { head.fields = rewriter.rewritten(head.fields, proxyAuthority: request.authority) }
    if case .recorded(let times) = pace {
      return .stream(PacedSource(interaction, head: head, times: times, loop: loop))
    }
    switch interaction.response.body {
    case .bytes(let body): return .prepared(Self.prepared(interaction, head: head, body: body))
    case .file(let file): return .stream(BodyFileSource(file, head: head, interaction: interaction))
    }
  }

  private static func prepared(
    _ interaction: Interaction, head: HTTPResponseHead, body: [UInt8]
  ) -> PreparedResponse {
    let response = HTTPResponse(head: head, body: body, trailers: interaction.response.trailers)
    return PreparedResponse(response, to: interaction.request.method, chunks: chunkSizes(interaction))
  }

  /// An answer that ended with its connection goes out in one chunk: its length was not known then either.
  private static func chunkSizes(_ interaction: Interaction) -> [Int]? {
    interaction.response.chunkSizes ?? (interaction.response.isCloseDelimited ? [] : nil)
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
