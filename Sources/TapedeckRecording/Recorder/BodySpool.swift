import TapedeckHTTP
import TapedeckRedaction

/// A body to be recorded: in memory while small, then in a file named at the end. Not thread-safe.
///
/// No text is written before its secrets are hidden: a text too large to hold passes through
/// `LongTextRedaction`, and a held body is redacted when the exchange is recorded.
public final class BodySpool {
  package static let prefix = ".spool-"

  private let recorder: CassetteRecorder
  private let request: HTTPRequest?
  private let fields: HTTPFields
  @exclusivity(unchecked) private var held: [UInt8] = []
  private var redaction: LongTextRedaction?
  private var pass: SecretSearch?
  @exclusivity(unchecked) private var spilled:
    (file: OpenFile, name: String, digest: SHA256Stream, size: Int)?
  private var failure: CassetteError?

  /// - Parameter request: the request of the exchange, whose secrets may appear in the response.
  init(recorder: CassetteRecorder, request: HTTPRequest?, fields: HTTPFields) {
    self.recorder = recorder
    self.request = request
    self.fields = fields
  }

  deinit { discard() }

  public var count: Int { spilled?.size ?? held.count }

  /// Adds bytes. After an error the body is lost, and so is the exchange.
  public func append(_ bytes: UnsafeRawBufferPointer) throws(CassetteError) {
    if let failure { throw failure }
    if recorder.isBroken {
      discard()
      throw .recordingEnded(directory: recorder.path)
    }
    if spilled == nil, canHold(bytes.count) {
      held += bytes
      return
    }
    do throws(CassetteError) {
      if spilled == nil { try spill() }
      try write(bytes)
    } catch {
      failure = error
      discard()
      recorder.stop()
      throw error
    }
  }

  /// Whether more bytes can be held. Bodies that may contain a secret are held up to a higher limit.
  private func canHold(_ more: Int) -> Bool {
    let count = held.count + more
    if count <= BodyFormat.maximumHeldBytes { return true }
    return count <= SecretSearch.maximumStructuredBytes && mayHide
  }

  private var mayHide: Bool {
    guard recorder.matcher.redaction.isOn, !held.isEmpty else { return false }
    return BodyCoding(fields) != .identity || SecretSearch.isText(held[...], type: MediaType(fields))
  }

  private func spill() throws(CassetteError) {
    if let policy = recorder.matcher.redaction.policy, mayHide {
      let coding = BodyCoding(fields)
      if coding != .identity, !coding.isMisnamed(beginningWith: held[...]) {
        recorder.noteUnopened([coding.label])
      } else {
        let pass = SecretSearch(policy, known: recorder.memory.givenSecrets)
        pass.uncounted {
          if let request { _ = pass.redacted(request) }
          _ = pass.redacted(fields)
        }
        self.pass = pass
        redaction = LongTextRedaction(pass)
      }
    }
    let (file, name) = try recorder.createSpoolFile()
    spilled = (file, name, SHA256Stream(), 0)
    try held.withRawBytes { held throws(CassetteError) in try write(held) }
    held = []
  }

  private func write(_ bytes: UnsafeRawBufferPointer) throws(CassetteError) {
    guard let redaction else { return try put(bytes) }
    let hidden = redaction.append(bytes)
    try hidden.withRawBytes { hidden throws(CassetteError) in try put(hidden) }
  }

  private func put(_ bytes: UnsafeRawBufferPointer) throws(CassetteError) {
    guard let spilled, bytes.count > 0 else { return }
    guard spilled.size + bytes.count <= CassetteLimits.bodyFileBytes else {
      throw .overLimit(
        path: recorder.path, problem: "a body of more than \(CassetteLimits.bodyFileBytes) bytes")
    }
    try spilled.file.write(bytes)
    spilled.digest.update(bytes)
    self.spilled?.size += bytes.count
  }

  /// Returns the body; the spool must not be used afterwards.
  public func finish() throws(CassetteError) -> RecordedBody {
    if let failure { throw failure }
    guard let name = spilled?.name else { return .bytes(held) }
    do throws(CassetteError) {
      if let redaction {
        let rest = redaction.finish()
        try rest.withRawBytes { rest throws(CassetteError) in try put(rest) }
      }
      guard let done = spilled else { return .bytes([]) }
      spilled = nil
      if let pass { recorder.learn(from: pass) }
      return .file(
        try recorder.adopt(done.file, done.name, digest: done.digest.finish(), size: done.size))
    } catch {
      spilled = nil
      recorder.removeSpoolFile(name)
      recorder.stop()
      throw error
    }
  }

  /// The chunk sizes of the body as written.
  public func mapped(chunkSizes sizes: [Int]) -> [Int] {
    redaction?.finds.mappedSizes(sizes) ?? sizes
  }

  public func discard() {
    held = []
    if let name = spilled?.name { recorder.removeSpoolFile(name) }
    spilled = nil
  }
}
