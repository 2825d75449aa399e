package import Synchronization
public import TapedeckHTTP

/// One recorded exchange, ready to be given again: what has to be known to choose it, and where the rest is, which may
/// still be in its file until someone asks for it.
public final class StoredInteraction: Sendable {
  /// The name of its file in the cassette.
  public let fileName: String
  /// The request of the exchange.
  public let recorded: RecordedRequest
  /// The status of the response.
  public let status: Int
  let recordedAtMicroseconds: Int?
  /// The names of request fields that the response varies by, see `VaryNames`.
  let varying: [[UInt8]]
  package let key: MatchKey
  /// Its place among the responses to its request, from 1; what the name says.
  let ordinal: Int
  /// The files in `bodies/` it refers to; none where its own file is read when asked for.
  package let bodyNames: [String]
  /// About what all of it takes in memory.
  let bytes: Int
  /// The file to read when the exchange is asked for; nil where it is held.
  private let file: (fingerprint: ContentFingerprint, directory: CassetteDirectory)?
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

  private init(
    _ name: String, _ outline: InteractionOutline, key: MatchKey, bodyNames: [String], bytes: Int,
    file: (ContentFingerprint, CassetteDirectory)?
  ) {
    fileName = name
    recorded = outline.recorded
    status = outline.status
    recordedAtMicroseconds = outline.recordedAtMicroseconds
    varying = outline.varying
    self.key = key
    ordinal = CassetteNames.ordinal(name)
    self.bodyNames = bodyNames
    self.bytes = bytes
    self.file = file
  }

  /// One that is held.
  package convenience init(
    _ name: String, _ interaction: Interaction, key: MatchKey, bodyNames: [String] = [], bytes: Int = 0
  ) {
    self.init(
      name, InteractionOutline(interaction), key: key, bodyNames: bodyNames, bytes: bytes, file: nil)
    _ = content.storeIfNil(Content(interaction))
  }

  /// One that is read from its file when it is asked for.
  /// - Parameter fingerprint: of the file as it is now.
  convenience init(
    _ name: String, _ outline: InteractionOutline, key: MatchKey, bytes: Int,
    fingerprint: ContentFingerprint, in directory: CassetteDirectory
  ) {
    self.init(name, outline, key: key, bodyNames: [], bytes: bytes, file: (fingerprint, directory))
  }

  /// The same exchange under another name.
  func renamed(_ name: String) throws(CassetteError) -> StoredInteraction {
    StoredInteraction(name, try read(), key: key, bodyNames: bodyNames, bytes: bytes)
  }

  /// All of the exchange: read when this is first asked for, and then held.
  /// - Throws: when the file cannot be read any more, or is another than it was when the cassette was loaded.
  public func read() throws(CassetteError) -> Interaction {
    if let content = content.load() { return content.interaction }
    return content.storeIfNil(Content(try readFile())).interaction
  }

  private func readFile() throws(CassetteError) -> Interaction {
    guard let file, let bytes = try file.directory.contents(of: fileName, limit: CassetteLimits.fileBytes),
      bytes.withUnsafeBytes(ContentFingerprint.init) == file.fingerprint
    else { throw .changedSinceLoaded(file: file?.directory.path(of: fileName) ?? fileName) }
    let path = file.directory.path(of: fileName)
    return try InteractionFormat.decode(
      try JSONFile.parse(bytes, file: path), in: path, loader: BodyLoader(directory: file.directory))
  }

  /// Whether all of the exchange is in memory.
  package var isHeld: Bool { content.load() != nil }

  /// All of the exchange. Where it cannot be read any more, its response is one of status 500 that says why; a cassette
  /// that was loaded `.atOnce` holds everything.
  public var interaction: Interaction {
    do throws(CassetteError) { return try read() } catch {
      let head = HTTPResponseHead(status: 500)
      return Interaction(
        request: recorded.request, largeRequestBody: recorded.largeBody,
        response: RecordedResponse(head: head, body: .bytes(Array("\(error)\n".utf8))))
    }
  }

  /// The interaction as its file has it, for programs; a body that would stand beside the file is named, not held.
  public func tree() throws(CassetteError) -> JSONValue {
    try InteractionFormat.encode(interaction) { body throws(CassetteError) in
      try BodyFile(unwritten: body)
    }
  }
}

/// What has to be known of an interaction before its response is asked for.
struct InteractionOutline: Equatable {
  var recorded: RecordedRequest
  var status: Int
  var recordedAtMicroseconds: Int?
  /// See `VaryNames`.
  var varying: [[UInt8]] = []
}

extension InteractionOutline {
  init(_ interaction: Interaction) {
    self.init(
      recorded: interaction.recordedRequest, status: interaction.response.head.status,
      recordedAtMicroseconds: interaction.volatile.recordedAtMicroseconds,
      varying: VaryNames.names(in: interaction.response.head.fields))
  }
}

/// By what a file is known again within one run: another content has another fingerprint, but for one in 2⁶⁴.
struct ContentFingerprint: Equatable {
  private let value: Int

  init(_ bytes: UnsafeRawBufferPointer) {
    var hasher = Hasher()
    hasher.combine(bytes: bytes)
    value = hasher.finalize()
  }
}
