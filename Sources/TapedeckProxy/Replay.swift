internal import TapedeckHTTP
internal import TapedeckRecording

/// Recorded interactions as answers.
enum Replay {
  /// The answer as it always goes on the wire; nil when it depends on the client (it names the origin) or does not
  /// belong in memory.
  static func prepare(_ interaction: Interaction, rewriter: OriginRewriter?) -> PreparedResponse? {
    guard case .bytes(let body) = interaction.response.body else { return nil }
    if let rewriter, rewriter.concerns(interaction.response.head.fields) { return nil }
    return prepared(interaction, head: interaction.response.head, body: body)
  }

  /// The answer for one client.
  static func answer(
    _ interaction: Interaction, to request: HTTPRequest, rewriter: OriginRewriter?
  ) -> HTTPAnswer {
    var head = interaction.response.head
    if let rewriter { head.fields = rewriter.rewritten(head.fields, proxyAuthority: request.authority) }
    switch interaction.response.body {
    case .bytes(let body):
      return HTTPAnswer(.prepared(prepared(interaction, head: head, body: body)), by: .cassette)
    case .file(let file):
      return HTTPAnswer(.stream(BodyFileSource(file, head: head, interaction: interaction)), by: .cassette)
    }
  }

  private static func prepared(
    _ interaction: Interaction, head: HTTPResponseHead, body: [UInt8]
  ) -> PreparedResponse {
    let response = HTTPResponse(head: head, body: body, trailers: interaction.response.trailers)
    return PreparedResponse(response, to: interaction.request.method, chunks: chunkSizes(interaction))
  }

  /// An answer that ended with its connection goes out in one chunk: that, too, is what the client got live.
  static func chunkSizes(_ interaction: Interaction) -> [Int]? {
    interaction.response.chunkSizes ?? (interaction.response.isCloseDelimited ? [] : nil)
  }
}
