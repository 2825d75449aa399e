import Synchronization
public import TapedeckHTTP

/// One recorded exchange, ready to be given again: what has to be known to choose it, and where the rest is, which may
/// still be in its file until someone asks for it.
public final class StoredInteraction: Sendable {
  /// The name of its file in the cassette.
  public let fileName: String
  /// The request it is the answer to.
  public let recorded: RecordedRequest
  /// The status of the answer.
  public let status: Int
  let recordedAtMicroseconds: Int?
  /// The names of request fields that the answer varies by, see `VaryNames`.
  let varying: [[UInt8]]
  package let key: MatchKey
  /// Its place among the answers to its request, from 1; what the name says.
  let ordinal: Int
  private let source: LoadedAnswer.Source
  private let maker: AnswerMaker
  /// What was made at once; the rest is made when it is asked for.
  private let held: AnswerContent?
  private let content = AtomicLazyReference<AnswerContent>()

  package init(_ loaded: LoadedAnswer, _ maker: AnswerMaker) {
    fileName = loaded.name
    recorded = loaded.outline.recorded
    status = loaded.outline.status
    recordedAtMicroseconds = loaded.outline.recordedAtMicroseconds
    varying = loaded.outline.varying
    key = loaded.key
    ordinal = CassetteNames.ordinal(loaded.name)
    source = loaded.source
    self.maker = maker
    if case .held(let interaction) = source { held = maker.content(interaction) } else { held = nil }
  }

  /// One that is held.
  package convenience init(_ stored: FileInteraction, prepared: PreparedResponse?) {
    self.init(
      LoadedAnswer(stored), AnswerMaker(directory: nil, origin: CassetteOrigin(nil, nil)) { _, _ in prepared }
    )
  }

  /// All of the exchange, and what is sent for it: read when this is first asked for, and then held.
  /// - Throws: when the file cannot be read any more, or is another than it was when the cassette was loaded.
  public func read() throws(CassetteError) -> AnswerContent {
    if let content = held ?? content.load() { return content }
    return content.storeIfNil(maker.content(try maker.read(fileName, source)))
  }

  /// Whether all of the exchange is in memory.
  var isHeld: Bool { held != nil || content.load() != nil }

  /// All of the exchange. Where it cannot be read any more, the answer in it is one of status 500 that says why; a
  /// cassette that was loaded `.atOnce` holds everything.
  public var interaction: Interaction {
    do throws(CassetteError) { return try read().interaction } catch {
      let head = HTTPResponseHead(status: 500)
      return Interaction(
        request: recorded.request, largeRequestBody: recorded.largeBody,
        response: RecordedResponse(head: head, body: .bytes(Array("\(error)\n".utf8))))
    }
  }

  /// What is sent; nil when it is made for each request.
  public var prepared: PreparedResponse? { try? read().prepared }
}

/// An exchange, and what is sent for it.
public final class AnswerContent: Sendable {
  public let interaction: Interaction
  /// Made once; nil when it is made for each request.
  public let prepared: PreparedResponse?

  init(_ interaction: Interaction, prepared: PreparedResponse?) {
    self.interaction = interaction
    self.prepared = prepared
  }
}
