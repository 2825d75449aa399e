internal import Synchronization
public import TapedeckHTTP

/// One interaction of a cassette, ready to be replayed. The facts that matching needs are in memory; the rest may stay
/// in its file until someone asks for it.
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
  /// Its place among the responses to its request, from 1, as its name says.
  let ordinal: Int
  /// The files in `bodies/` it refers to; none where its own file is read when asked for.
  package let bodyNames: [String]
  /// Roughly how much memory all of it takes.
  let bytes: Int
  /// The file to read when the exchange is asked for; nil where it is held.
  private let file: (fingerprint: ContentFingerprint, directory: CassetteDirectory)?
  private let content = AtomicLazyReference<Content>()
  /// Retained by this object. `AtomicLazyReference` would do, but is not specialized: 250 instructions a request.
  private let prepared = Atomic<Unmanaged<Preparation>?>(nil)

  private final class Content: Sendable {
    let interaction: Interaction

    init(_ interaction: Interaction) { self.interaction = interaction }
  }

  /// A response prepared for sending; `nil` for one that is made for each request.
  package final class Preparation: Sendable {
    package let response: PreparedResponse?

    package init(_ response: PreparedResponse?) { self.response = response }
  }

  /// The response as the proxy sends it; `nil` until it has been prepared.
  package var preparation: Preparation? { prepared.load(ordering: .acquiring)?.takeUnretainedValue() }

  /// Keeps a preparation, unless another thread was first. Returns the one that is kept.
  package func keep(_ preparation: Preparation) -> Preparation {
    let new = Unmanaged.passRetained(preparation)
    let (isFirst, known) = prepared.compareExchange(
      expected: nil, desired: new, ordering: .acquiringAndReleasing)
    guard !isFirst, let known else { return preparation }
    new.release()
    return known.takeUnretainedValue()
  }

  deinit { prepared.load(ordering: .acquiring)?.release() }

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

  /// The interaction as JSON in the format of its file; a body in a file of its own is named, not included.
  public func tree() throws(CassetteError) -> JSONValue {
    try InteractionFormat.encode(interaction) { body throws(CassetteError) in
      try BodyFile(unwritten: body)
    }
  }
}

/// The facts about an interaction that matching needs, without its response.
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

/// Identifies the content of a file within one run: other content has the same fingerprint once in 2⁶⁴ cases.
struct ContentFingerprint: Equatable {
  private let value: Int

  init(_ bytes: UnsafeRawBufferPointer) {
    var hasher = Hasher()
    hasher.combine(bytes: bytes)
    value = hasher.finalize()
  }
}
