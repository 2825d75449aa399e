import TapedeckHTTP
public import TapedeckRecording
import TapedeckRedaction

/// Writes a cassette as a file of another tool, piece by piece; bodies are read as they come.
///
/// What the format has no place for is told, and never replaced by something that looks like it.
public struct CassetteExport {
  private let format: ExportFormat
  private let creatorVersion: String
  private var losses = ExportLosses()

  public init(_ format: ExportFormat, creatorVersion: String) {
    self.format = format
    self.creatorVersion = creatorVersion
  }

  /// - Parameters:
  ///   - take: is given the file, a piece for each interaction and a few more.
  /// - Returns: what is not in the file, one line a reason.
  public mutating func write(_ cassette: Cassette, into take: ([UInt8]) throws -> Void) throws -> [String] {
    losses.noteCommon(cassette)
    try take(Array(opening.utf8))
    let origin = HAROrigin(upstream: cassette.upstream)
    let order = cassette.recordedOrder
    var isFirst = true
    for answer in cassette.answers {
      losses.noteCommon(answer)
      guard let entry = try entry(answer, origin, order[answer.key] ?? [answer]) else { continue }
      try take(Array((isFirst || isYAML ? "" : ",\n").utf8) + entry)
      isFirst = false
    }
    try take(Array(closing(isEmpty: isFirst).utf8))
    return losses.lines
  }

  private var isYAML: Bool { format == .vcr || format == .vcrpy }

  private mutating func entry(
    _ answer: StoredInteraction, _ origin: HAROrigin, _ responses: [StoredInteraction]
  ) throws(CassetteError) -> [UInt8]? {
    let message = try ExportedMessage(answer, url: origin.url(of: answer.interaction.request))
    switch format {
    case .vcr: return YAMLWriter.bytes(.list([VCRExport.interaction(message, &losses)]))
    case .vcrpy: return YAMLWriter.bytes(.list([VCRPyExport.interaction(message, &losses)]))
    case .wiremock:
      return WireMockExport.mapping(message, ExportedPlace(answer, among: responses), &losses).indented(1)
    case .hoverfly:
      return HoverflyExport.pair(message, ExportedPlace(answer, among: responses), &losses)?.indented(2)
    }
  }

  private var opening: String {
    switch format {
    case .vcr: "---\nhttp_interactions:\n"
    case .vcrpy: "interactions:\n"
    case .wiremock: "{\n  \"mappings\": [\n"
    case .hoverfly: "{\n  \"data\": {\n    \"pairs\": [\n"
    }
  }

  private func closing(isEmpty: Bool) -> String {
    switch format {
    case .vcr: "\(isEmpty ? "  []\n" : "")recorded_with: Tapedeck \(creatorVersion)\n"
    case .vcrpy: "\(isEmpty ? "  []\n" : "")version: 1\n"
    case .wiremock: "\n  ]\n}\n"
    case .hoverfly:
      "\n    ],\n    \"globalActions\": {\"delays\": [], \"delaysLogNormal\": []}\n  },\n"
        + "  \"meta\": {\"schemaVersion\": \"v5\", \"hoverflyVersion\": \"\", \"timeExported\": \"\"}\n}\n"
    }
  }
}

/// An exchange on its way into a file of another tool, with its bodies at hand.
struct ExportedMessage {
  let file: String
  let url: String
  let request: HTTPRequest
  let requestBody: [UInt8]
  let response: RecordedResponse
  let responseBody: [UInt8]
  let answer: StoredInteraction

  init(_ answer: StoredInteraction, url: String) throws(CassetteError) {
    self.answer = answer
    self.url = url
    file = answer.fileName
    request = answer.interaction.request
    response = answer.interaction.response
    requestBody = try HARBody.bytes(
      answer.interaction.largeRequestBody.map { .file($0) } ?? .bytes(answer.interaction.request.body))
    responseBody = try HARBody.bytes(response.body)
  }

  /// Whether the reason phrase says more than the status does.
  var hasOwnReason: Bool {
    !response.head.reason.elementsEqual(HTTPStatus.reason(response.head.status).utf8)
  }
}

/// Where an answer stands among those to the same request.
struct ExportedPlace {
  /// From 1.
  let number: Int
  let count: Int
  /// One for each request.
  let key: String

  /// - Parameter responses: all that are recorded for its request, in order.
  init(_ answer: StoredInteraction, among responses: [StoredInteraction]) {
    number = (responses.firstIndex { $0 === answer } ?? 0) + 1
    count = responses.count
    key = String(answer.key.digest.hex.prefix(12))
  }
}
