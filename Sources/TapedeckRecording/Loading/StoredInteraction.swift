internal import Synchronization
public import TapedeckHTTP

/// An interaction for replay. The facts for matching are in memory; the rest may stay in its file.
public final class StoredInteraction: Sendable {
  public let fileName: String
  public let recorded: RecordedRequest
  public let status: Int
  let recordedAtMicroseconds: Int?
  /// The request fields that the response varies by (`ClientIdentity.varying`).
  let varying: [[UInt8]]
  package let key: MatchKey
  /// Its position among the responses to its request, from 1, as in its name.
  let ordinal: Int
  /// The files in `bodies/` it refers to; empty if its own file is read later.
  package let bodyNames: [String]
  let bytes: Int
  /// The file to read when needed; `nil` if the interaction is in memory.
  private let file: (fingerprint: Int, directory: CassetteDirectory)?
  private let content = AtomicLazyReference<Content>()
  /// Retained by this object. `AtomicLazyReference` is not specialized: 250 instructions more a request.
  private let prepared = Atomic<Unmanaged<Preparation>?>(nil)

  private final class Content: Sendable {
    let interaction: Interaction

    init(_ interaction: Interaction) { self.interaction = interaction }
  }

  /// A response prepared for sending; `nil` if it is made for each request.
  package final class Preparation: Sendable {
    package let response: PreparedResponse?

    package init(_ response: PreparedResponse?) { self.response = response }
  }

  package var preparation: Preparation? { prepared.load(ordering: .acquiring)?.takeUnretainedValue() }

  /// Keeps a preparation unless another thread was first; returns the one kept.
  package func keep(_ preparation: Preparation) -> Preparation {
    let new = Unmanaged.passRetained(preparation)
    let (isFirst, known) = prepared.compareExchange(
      expected: nil, desired: new, ordering: .acquiringAndReleasing)
    guard !isFirst, let known else { return preparation }
    new.release()
    return known.takeUnretainedValue()
  }

  deinit { prepared.load(ordering: .acquiring)?.release() }

  /// - Parameter file: the current fingerprint of its file; `nil` if the interaction is in memory.
  init(
    _ name: String, _ outline: InteractionOutline, key: MatchKey, bodyNames: [String] = [], bytes: Int,
    file: (fingerprint: Int, directory: CassetteDirectory)?
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

  package convenience init(
    _ name: String, _ interaction: Interaction, key: MatchKey, bodyNames: [String] = [], bytes: Int = 0
  ) {
    self.init(
      name, InteractionOutline(interaction), key: key, bodyNames: bodyNames, bytes: bytes, file: nil)
    _ = content.storeIfNil(Content(interaction))
  }

  func renamed(_ name: String) throws(CassetteError) -> StoredInteraction {
    StoredInteraction(name, try read(), key: key, bodyNames: bodyNames, bytes: bytes)
  }

  /// The whole interaction, read on the first call and then held.
  /// - Throws: when the file is unreadable or has changed since loading.
  public func read() throws(CassetteError) -> Interaction {
    if let content = content.load() { return content.interaction }
    return content.storeIfNil(Content(try readFile())).interaction
  }

  private func readFile() throws(CassetteError) -> Interaction {
    guard let file, let bytes = try file.directory.contents(of: fileName, limit: CassetteLimits.fileBytes),
      bytes.withUnsafeBytes(Self.fingerprint) == file.fingerprint
    else { throw .changedSinceLoaded(file: file?.directory.path(of: fileName) ?? fileName) }
    let path = file.directory.path(of: fileName)
    return try InteractionFormat.decode(
      try JSONFile.parse(bytes, file: path), in: path, loader: BodyLoader(directory: file.directory))
  }

  /// Identifies a file's content within one run; different contents collide once in 2⁶⁴ cases.
  static func fingerprint(of bytes: UnsafeRawBufferPointer) -> Int {
    var hasher = Hasher()
    hasher.combine(bytes: bytes)
    return hasher.finalize()
  }

  package var isHeld: Bool { content.load() != nil }

  /// The whole interaction. If it is unreadable, the response has status 500 and says why.
  public var interaction: Interaction {
    do throws(CassetteError) { return try read() } catch {
      let head = HTTPResponseHead(status: 500)
      return Interaction(
        request: recorded.request, largeRequestBody: recorded.largeBody,
        response: RecordedResponse(head: head, body: .bytes(Array("\(error)\n".utf8))))
    }
  }

  /// The interaction as JSON in its file's format; a body in its own file is only named.
  public func tree() throws(CassetteError) -> JSONValue {
    try InteractionFormat.encode(interaction, store: BodyFile.init(unwritten:))
  }
}

/// The facts about an interaction for matching, without its response.
struct InteractionOutline: Equatable {
  var recorded: RecordedRequest
  var status: Int
  var recordedAtMicroseconds: Int?
  var varying: [[UInt8]] = []
}

extension InteractionOutline {
  init(_ interaction: Interaction) {
    self.init(
      recorded: interaction.recordedRequest, status: interaction.response.head.status,
      recordedAtMicroseconds: interaction.volatile.recordedAtMicroseconds,
      varying: ClientIdentity.varying(interaction.response.head.fields))
  }
}
