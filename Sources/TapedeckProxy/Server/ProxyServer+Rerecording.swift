internal import Synchronization
internal import TapedeckHTTP
internal import TapedeckRecording
package import TapedeckSockets

/// A recording as it was before it was made anew, so that it can be put back; one that was added has no such.
struct ReplacedRecording: Sendable {
  let cassette: String
  let file: String
  let interaction: Interaction?

  /// Held at once; the oldest makes room.
  static let maximumCount = 16
}

/// Single recordings that are made anew while the proxy runs.
extension ProxyServer {
  /// Why a logged request cannot be recorded anew; `nil` if it can.
  package func rerecordingObstacle(_ entry: RequestLogEntry, of session: Session) -> String? {
    let inserted = inserted(for: session)
    guard inserted.cassettePath != nil else { return "there is no cassette to record into" }
    if let recordingObstacle { return recordingObstacle }
    guard entry.status != 101 else { return "a WebSocket cannot be recorded anew without its client" }
    return forwardingObstacle(of: session)
  }

  /// Sends a logged request to the origin once more, and puts the response in the place of the one that it got from the
  /// cassette; after a miss, it is added. What is being recorded is sealed first; requests wait meanwhile, and every
  /// sequence begins with its first response.
  /// - Parameter onEnd: called on the loop's thread with what was recorded, or with why nothing was.
  package func recordAnew(
    _ entry: RequestLogEntry, of session: Session, on loop: EventLoop,
    onEnd: @escaping (Swift.Result<Rerecording, any Error>) -> Void
  ) throws {
    let file = try recordedFile(of: entry, session)
    try send(entry, of: session, on: loop) { [self] request, result in
      onEnd(
        Swift.Result {
          guard let result, case .response(let response) = result.outcome else { throw NoResponse(result) }
          return try record(response, result, to: request, inPlaceOf: file, session)
        })
    }
  }

  /// What recording a request anew came to.
  package struct Rerecording: Sendable {
    package let file: String?
    /// Whether it was added, not put in the place of another.
    package let isNew: Bool
    package let status: Int
    package let durationMilliseconds: Double
    package let response: ShownMessage
    /// Whether the response is the recorded one.
    package let isUnchanged: Bool
  }

  /// Why the origin gave no response that could be recorded.
  package struct NoResponse: Error, CustomStringConvertible {
    package let description: String

    init(_ result: UpstreamBatch.Result?) {
      if case .failed(let problem)? = result?.outcome {
        description = problem
      } else {
        description = "no response came"
      }
    }
  }

  /// Puts back a recording of the session's cassette as it was before it was made anew, and removes one that was added;
  /// false if it was neither.
  package func restore(_ file: String, of session: Session) throws -> Bool {
    guard let path = cassettePath(of: session),
      let before = replaced.withLock({ all in
        all.lastIndex { $0.cassette == path && $0.file == file }.map { all.remove(at: $0) }
      })
    else { return false }
    do { _ = try put(before.interaction, inPlaceOf: file, session) } catch {
      replaced.withLock { $0.append(before) }
      throw error
    }
    return true
  }

  /// The file of the recording that a request got; of one that got another response, the only recording there is for it.
  private func recordedFile(of entry: RequestLogEntry, _ session: Session) throws(ProxyError) -> String? {
    if let replay = entry.decisions.replay { return replay.file }
    let files =
      inserted(for: session).cassette?.sequence(for: entry.request)?.interactions.map(\.fileName) ?? []
    guard files.count <= 1 || entry.source == .unmatched else { throw .severalRecordings(files.count) }
    return entry.source == .unmatched ? nil : files.first
  }

  private func record(
    _ response: RecordedResponse, _ result: UpstreamBatch.Result, to request: HTTPRequest,
    inPlaceOf file: String?, _ session: Session
  ) throws -> Rerecording {
    let inserted = inserted(for: session)
    var interaction = Interaction(
      request: inserted.storable(request, sent: result.sentFields), response: response,
      volatile: VolatileFacts(
        recordedAtMicroseconds: WallClock.microseconds, durationMilliseconds: result.durationMilliseconds))
    // It stays the recording of the same request, whatever this client sent besides.
    if let file, let stored = inserted.cassette?.interactions.first(where: { $0.fileName == file }) {
      let before = try stored.read()
      (interaction.request, interaction.largeRequestBody) = (before.request, before.largeRequestBody)
    }
    let (before, isUnchanged) = try put(interaction, inPlaceOf: file, session)
    let isNew = file == nil
    let added = self.inserted(for: session).cassette?.sequence(for: request)?.interactions.last
    let file = file ?? added?.fileName
    if let file, let path = inserted.cassettePath, !isUnchanged {
      replaced.withLock { all in
        if all.count >= ReplacedRecording.maximumCount { all.removeFirst() }
        all.append(ReplacedRecording(cassette: path, file: file, interaction: before))
      }
    }
    let shown: Interaction = inserted.matcher.redaction.redacted(interaction).0
    return Rerecording(
      file: file, isNew: isNew, status: response.head.status,
      durationMilliseconds: result.durationMilliseconds,
      response: ShownMessage(shown.response.head.fields, shown.response.body), isUnchanged: isUnchanged)
  }

  /// - Parameter interaction: `nil` removes the file.
  private func put(
    _ interaction: Interaction?, inPlaceOf file: String?, _ session: Session
  ) throws -> (before: Interaction?, isUnchanged: Bool) {
    let slot = session.slot ?? slot
    guard let path = slot.current.cassettePath else { throw ProxyError.cassetteMissing(mode: "record") }
    var before: Interaction?
    var isUnchanged = false
    let words = session.slot == nil ? ignoredWords : []
    _ = try reopen(slot, mode: slot.current.mode, cassette: path, ignoring: words) {
      guard let interaction else {
        if let file { try CassetteRecorder.remove(file, from: path) }
        return
      }
      let put = try CassetteRecorder.put(
        interaction, inPlaceOf: file, in: path, secrets: configuration.secrets)
      before = put.replaced
      isUnchanged = put.report.written == 0
      tell(put.report, cassette: path)
    } rewind: {
      if session.slot == nil { sessions.rewindCursors() } else { session.rewind() }
    }
    return (before, isUnchanged)
  }
}
