import TapedeckHTTP
import TapedeckRedaction

/// A body on its way into a cassette: held in memory while it is small, then written to a file that gets its name when
/// the content is known. One thread uses it at a time.
///
/// Nothing of a text is written before its secrets are hidden: it is held as long as it can be taken apart, and beyond
/// that goes through `LongTextRedaction` on its way to the file. What is held is redacted when the exchange is recorded.
public final class BodySpool {
  package static let prefix = ".spool-"

  /// How a body that is too large to be held is written.
  private enum Course {
    /// Not known yet: it is still small.
    case open
    /// Written as it is.
    case plain
    case text(LongTextRedaction)
  }

  private let recorder: CassetteRecorder
  private let request: HTTPRequest?
  private let fields: HTTPFields
  private var held: [UInt8] = []
  private var course = Course.open
  private var pass: SecretSearch?
  private var spilled: (file: OpenFile, name: String, digest: SHA256Stream, size: Int)?
  private var failure: CassetteError?

  /// - Parameters:
  ///   - request: the request of the exchange, since its secrets may appear in the response.
  ///   - fields: of the message that the body belongs to.
  init(recorder: CassetteRecorder, request: HTTPRequest?, fields: HTTPFields) {
    self.recorder = recorder
    self.request = request
    self.fields = fields
  }

  deinit { discard() }

  /// How many bytes are held or were written.
  public var count: Int { spilled?.size ?? held.count }

  /// Adds bytes. Once it has thrown, the body is lost and so is the recording.
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

  /// Bodies that may contain a secret are held for longer than others.
  private func canHold(_ more: Int) -> Bool {
    let count = held.count + more
    if count <= BodyFormat.maximumHeldBytes { return true }
    return count <= SecretSearch.maximumStructuredBytes && mayHide
  }

  private var mayHide: Bool {
    guard recorder.matcher.redaction.isOn, !held.isEmpty else { return false }
    return isCoded || SecretSearch.isText(held[...], type: MediaType(fields))
  }

  private var isCoded: Bool { BodyCoding(fields) != .identity }

  private func spill() throws(CassetteError) {
    course = .plain
    if let policy = recorder.matcher.redaction.policy, mayHide {
      if isCoded {
        recorder.noteUnopened([BodyCoding(fields).name])
      } else {
        let pass = recorder.makePass(policy)
        pass.uncounted {
          if let request { _ = pass.redacted(request) }
          _ = pass.redacted(fields)
        }
        self.pass = pass
        course = .text(LongTextRedaction(pass))
      }
    }
    let (file, name) = try recorder.createSpoolFile()
    spilled = (file, name, SHA256Stream(), 0)
    try held.withRawBytes { held throws(CassetteError) in try write(held) }
    held = []
  }

  private func write(_ bytes: UnsafeRawBufferPointer) throws(CassetteError) {
    guard case .text(let redaction) = course else { return try put(bytes) }
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

  /// The body; the spool is used up.
  public func finish() throws(CassetteError) -> RecordedBody {
    if let failure { throw failure }
    guard let name = spilled?.name else { return .bytes(held) }
    do throws(CassetteError) {
      if case .text(let redaction) = course {
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

  /// The chunk sizes of the body as it was written.
  public func mapped(chunkSizes sizes: [Int]) -> [Int] {
    guard case .text(let redaction) = course else { return sizes }
    return redaction.finds.mappedSizes(sizes)
  }

  /// Forgets the body and removes its file.
  public func discard() {
    held = []
    if let name = spilled?.name { recorder.removeSpoolFile(name) }
    spilled = nil
  }
}
