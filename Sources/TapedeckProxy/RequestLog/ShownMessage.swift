package import TapedeckHTTP
internal import TapedeckRecording

/// A message as people see it: without secrets, with its content coding opened, and no more of its body than fits on a
/// page.
package struct ShownMessage: Sendable {
  /// A piece of a body, and when it came or is to come, from the request on.
  package struct Chunk: Sendable {
    package let bytes: Int
    package let milliseconds: Double
  }

  package static let maximumBodyBytes = 256 * 1024

  package let fields: HTTPFields
  /// As far as it is shown.
  package let body: [UInt8]
  /// The size of the body as it was sent.
  package let bodyBytes: Int
  /// Whether there is more than `body`.
  package let isCut: Bool
  /// The content coding that was opened; `nil` if there was none, or if it cannot be opened.
  package let coding: String?
  /// Empty unless the body came in several.
  package let chunks: [Chunk]

  /// - Parameter bodyBytes: the size of the body, of which not all need be held.
  init(_ fields: HTTPFields, _ body: RecordedBody, bodyBytes: Int? = nil, chunks: [Chunk] = []) {
    self.fields = fields
    self.chunks = chunks
    self.bodyBytes = bodyBytes ?? body.count
    let opened = body.opened(fields)
    coding = opened?.coding
    var held: [UInt8] = []
    if case .bytes(let bytes) = body { held = bytes }
    let content = opened?.content ?? held
    self.body = Array(content.prefix(Self.maximumBodyBytes))
    isCut = self.body.count < content.count || held.count < self.bodyBytes
  }
}

/// An interaction of a cassette as people see it.
package struct ShownInteraction: Sendable {
  package let file: String
  package let line: String
  package let request: ShownMessage
  package let response: ShownMessage
  package let status: Int
  /// `nil` unless it is a WebSocket.
  package let webSocket: ShownWebSocket?

  init(_ file: String, _ interaction: Interaction) {
    self.file = file
    line = "\(interaction.request.method) \(interaction.request.shownTarget)"
    let body = interaction.largeRequestBody.map { RecordedBody.file($0) } ?? .bytes(interaction.request.body)
    request = ShownMessage(interaction.request.fields, body)
    let sizes = interaction.response.chunkSizes ?? []
    let times = interaction.volatile.chunkOffsetsMilliseconds ?? []
    let chunks = zip(sizes, times).map { ShownMessage.Chunk(bytes: $0, milliseconds: $1) }
    response = ShownMessage(
      interaction.response.head.fields, interaction.response.body,
      chunks: sizes.count == times.count && sizes.count > 1 ? chunks : [])
    status = interaction.response.head.status
    webSocket = interaction.response.webSocket.map { ShownWebSocket($0) }
  }
}

extension ProxyServer {
  /// Request and response, without secrets.
  package func shownMessages(
    _ entry: RequestLogEntry, of session: Session
  ) -> (request: HTTPRequest, shown: ShownMessage, response: ShownMessage) {
    let interaction = shown(entry, session, saying: nil)
    return (
      interaction.request,
      ShownMessage(
        interaction.request.fields, .bytes(interaction.request.body), bodyBytes: entry.request.uploadBytes),
      ShownMessage(
        interaction.response.head.fields, interaction.response.body, bodyBytes: entry.bodyBytes,
        chunks: entry.chunks)
    )
  }

  /// What was said over the WebSocket of an exchange, without secrets; `nil` unless it opened one.
  package func shownWebSocket(_ entry: RequestLogEntry, of session: Session) -> ShownWebSocket? {
    guard let shown = entry.webSocket?.shown else { return nil }
    let redacted = self.shown(entry, session, saying: shown.recorded).response.webSocket
    return redacted.map(shown.saying) ?? shown
  }

  /// An interaction of the session's cassette, by the name of its file; `nil` if there is none. Throws if its file
  /// cannot be read any more.
  package func recording(_ file: String, of session: Session) throws -> ShownInteraction? {
    let stored = inserted(for: session).cassette?.interactions.first { $0.fileName == file }
    return try stored.map { ShownInteraction(file, try $0.read()) }
  }
}
