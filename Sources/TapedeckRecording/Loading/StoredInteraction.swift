internal import Synchronization
public import TapedeckHTTP

/// An interaction for replay. The facts for matching are in memory; the rest may stay in its file.
///
/// There may be 100,000 of them, so what is small lies in one array, and what most requests share is shared.
public final class StoredInteraction: Sendable {
  // What every replay needs comes first, in one line of the processor's cache.
  /// Retained by this object. `AtomicLazyReference` is not specialized: 250 instructions more a request.
  private let sent = Atomic<Unmanaged<PreparedResponse>?>(nil)
  public let status: Int
  /// The bytes of the match key, the target and the file name, one after the other.
  private let facts: [UInt8]
  private let plainKeyEnd: UInt32
  private let keyEnd: UInt32
  private let targetEnd: UInt32
  private let hasVerbatimKey: Bool
  /// The head of the recorded request, or of another one that differs from it in the target alone.
  private let likeHead: HTTPRequest.SharedHead
  /// The body of the recorded request, unless it is in a file.
  package let requestBody: [UInt8]
  private let extras: Extras?
  let recordedAtMicroseconds: Int?
  /// Its position among the responses to its request, from 1, as in its name.
  let ordinal: Int
  let bytes: Int
  /// The file to read when needed; `nil` if the interaction is in memory.
  private let file: (fingerprint: Int, directory: CassetteDirectory)?
  private let content = AtomicLazyReference<Content>()

  /// What few interactions have.
  private final class Extras: Sendable {
    let largeBody: BodyFile?
    let trailers: HTTPFields
    let varying: [[UInt8]]
    let bodyNames: [String]

    init?(_ outline: InteractionOutline, _ bodyNames: [String]) {
      let request = outline.recorded.request
      guard
        outline.recorded.largeBody != nil || request.hasTrailers || !outline.varying.isEmpty
          || !bodyNames.isEmpty
      else { return nil }
      largeBody = outline.recorded.largeBody
      trailers = request.trailers
      varying = outline.varying
      self.bodyNames = bodyNames
    }
  }

  private final class Content: Sendable {
    let interaction: Interaction

    init(_ interaction: Interaction) { self.interaction = interaction }
  }

  /// Stands for a response that is made for each request.
  private static let madeEachTime = PreparedResponse(
    HTTPResponse(head: HTTPResponseHead(status: 500)), to: .get)

  /// The response prepared for sending, or `.some(nil)` if it is made for each request; `nil` before `keep`.
  package var prepared: PreparedResponse?? {
    guard let known = sent.load(ordering: .acquiring) else { return nil }
    let isMadeEachTime = known.toOpaque() == Unmanaged.passUnretained(Self.madeEachTime).toOpaque()
    return .some(isMadeEachTime ? nil : known.takeUnretainedValue())
  }

  /// Keeps what was prepared unless another thread was first; returns what is kept.
  package func keep(prepared: PreparedResponse?) -> PreparedResponse? {
    let new = Unmanaged.passRetained(prepared ?? Self.madeEachTime)
    let (isFirst, _) = sent.compareExchange(
      expected: nil, desired: new, ordering: .acquiringAndReleasing)
    if !isFirst { new.release() }
    return isFirst ? prepared : self.prepared ?? nil
  }

  deinit { sent.load(ordering: .acquiring)?.release() }

  /// - Parameters:
  ///   - like: a head to share memory with, if it differs in the target at most.
  ///   - file: the current fingerprint of its file; `nil` if the interaction is in memory.
  init(
    _ name: String, _ outline: InteractionOutline, key: MatchKey, bodyNames: [String] = [], bytes: Int,
    like: HTTPRequest.SharedHead? = nil, file: (fingerprint: Int, directory: CassetteDirectory)?
  ) {
    let request = outline.recorded.request
    var facts: [UInt8] = []
    facts.reserveCapacity(key.bytes.count + request.target.count + name.utf8.count)
    facts += key.bytes
    facts += request.target
    facts += name.utf8
    self.facts = facts
    plainKeyEnd = UInt32(key.plainCount)
    keyEnd = UInt32(key.bytes.count)
    targetEnd = UInt32(key.bytes.count + request.target.count)
    hasVerbatimKey = key.isVerbatim
    likeHead = like.flatMap { $0.head.isLike(request.head) ? $0 : nil } ?? request.shared
    requestBody = request.body
    extras = Extras(outline, bodyNames)
    status = outline.status
    recordedAtMicroseconds = outline.recordedAtMicroseconds
    ordinal = CassetteNames.ordinal(name)
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

  // MARK: Facts for matching

  public var fileName: String { String(decoding: facts[Int(targetEnd)...], as: UTF8.self) }

  /// The request. Made anew at each call while the interaction is in its file.
  public var recorded: RecordedRequest {
    if let content = content.load() { return content.interaction.recordedRequest }
    var head = likeHead.head
    head.target = Array(facts[Int(keyEnd)..<Int(targetEnd)])
    var request = HTTPRequest(head, body: requestBody)
    if let extras { request.trailers = extras.trailers }
    return RecordedRequest(request, largeBody: extras?.largeBody)
  }

  package var key: MatchKey {
    MatchKey(bytes: Array(facts[..<Int(keyEnd)]), plainCount: plainKeyEnd, isVerbatim: hasVerbatimKey)
  }

  /// Whether `key` is made of these bytes; with `isPlain`, its plain part.
  func hasKey(_ bytes: [UInt8], isPlain: Bool) -> Bool {
    let count = Int(isPlain ? plainKeyEnd : keyEnd)
    return bytes.count == count
      && facts.withUnsafeBytes { facts in bytes.withUnsafeBytes { facts.holds($0) } }
  }

  /// For other requests to share memory with.
  var sharedHead: HTTPRequest.SharedHead { likeHead }

  /// The request fields that the response varies by (`ClientIdentity.varying`).
  var varying: [[UInt8]] { extras?.varying ?? [] }

  /// The files in `bodies/` it refers to; empty if its own file is read later.
  package var bodyNames: [String] { extras?.bodyNames ?? [] }

  // MARK: The whole

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
