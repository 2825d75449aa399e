import TapedeckHTTP

/// A body on its way into a cassette: held in memory while it is small, then written to a file that gets its name when
/// the content is known. One thread uses it at a time.
public final class BodySpool {
  static let prefix = ".spool-"

  private let recorder: CassetteRecorder
  private var held: [UInt8] = []
  private var spilled: (file: OpenFile, name: String, digest: SHA256Stream, size: Int)?
  private var failure: CassetteError?

  init(recorder: CassetteRecorder) { self.recorder = recorder }

  deinit { discard() }

  /// How many bytes came.
  public var count: Int { spilled?.size ?? held.count }

  /// Adds bytes. Once it has thrown, the body is lost and so is the recording.
  public func append(_ bytes: UnsafeRawBufferPointer) throws(CassetteError) {
    if let failure { throw failure }
    if recorder.isBroken {
      discard()
      throw .recordingEnded(directory: recorder.path)
    }
    if spilled == nil, held.count + bytes.count <= BodyFormat.maximumHeldBytes {
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

  private func spill() throws(CassetteError) {
    let (file, name) = try recorder.createSpoolFile()
    spilled = (file, name, SHA256Stream(), 0)
    try held.withRawBytes { held throws(CassetteError) in try write(held) }
    held = []
  }

  private func write(_ bytes: UnsafeRawBufferPointer) throws(CassetteError) {
    guard let spilled else { return }
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
    guard let done = spilled else { return .bytes(held) }
    spilled = nil
    do throws(CassetteError) {
      return .file(
        try recorder.adopt(done.file, done.name, digest: done.digest.finish(), size: done.size))
    } catch {
      recorder.removeSpoolFile(done.name)
      recorder.stop()
      throw error
    }
  }

  /// Forgets the body and removes its file.
  public func discard() {
    held = []
    if let name = spilled?.name { recorder.removeSpoolFile(name) }
    spilled = nil
  }
}
