package import Synchronization
package import TapedeckHTTP

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
  /// Where its file is; `nil` where it is held.
  private let directory: CassetteDirectory?
  /// What was read from the file.
  private let content = AtomicLazyReference<Content>()
  /// What a proxy sends for it, once the proxy has prepared that.
  package let preparation = AtomicLazyReference<Preparation>()

  private final class Content: Sendable {
    let interaction: Interaction

    init(_ interaction: Interaction) { self.interaction = interaction }
  }

  /// What is sent for an interaction, made once; `nil` where it is made for each request.
  package final class Preparation: Sendable {
    package let response: PreparedResponse?

    package init(_ response: PreparedResponse?) { self.response = response }
  }

  package init(_ loaded: LoadedAnswer, in directory: CassetteDirectory? = nil) {
    fileName = loaded.name
    recorded = loaded.outline.recorded
    status = loaded.outline.status
    recordedAtMicroseconds = loaded.outline.recordedAtMicroseconds
    varying = loaded.outline.varying
    key = loaded.key
    ordinal = CassetteNames.ordinal(loaded.name)
    source = loaded.source
    self.directory = directory
  }

  /// All of the exchange: read when this is first asked for, and then held.
  /// - Throws: when the file cannot be read any more, or is another than it was when the cassette was loaded.
  public func read() throws(CassetteError) -> Interaction {
    switch source {
    case .held(let interaction): return interaction
    case .file(let fingerprint):
      if let content = content.load() { return content.interaction }
      return content.storeIfNil(Content(try readFile(fingerprint))).interaction
    }
  }

  private func readFile(_ fingerprint: ContentFingerprint) throws(CassetteError) -> Interaction {
    guard let directory, let bytes = try directory.contents(of: fileName, limit: CassetteLimits.fileBytes),
      bytes.withUnsafeBytes(ContentFingerprint.init) == fingerprint
    else {
      throw .changedSinceLoaded(file: directory?.path(of: fileName) ?? fileName)
    }
    let file = directory.path(of: fileName)
    return try InteractionFormat.decode(
      try JSONFile.parse(bytes, file: file), in: file,
      loader: BodyLoader(directory: directory))
  }

  /// Whether all of the exchange is in memory.
  package var isHeld: Bool {
    if case .held = source { return true }
    return content.load() != nil
  }

  /// All of the exchange. Where it cannot be read any more, the answer in it is one of status 500 that says why; a
  /// cassette that was loaded `.atOnce` holds everything.
  public var interaction: Interaction {
    do throws(CassetteError) { return try read() } catch {
      let head = HTTPResponseHead(status: 500)
      return Interaction(
        request: recorded.request, largeRequestBody: recorded.largeBody,
        response: RecordedResponse(head: head, body: .bytes(Array("\(error)\n".utf8))))
    }
  }
}
