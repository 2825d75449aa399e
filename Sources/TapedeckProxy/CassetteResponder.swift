internal import TapedeckHTTP
internal import TapedeckRecording
import TapedeckRedaction
internal import TapedeckUpstream

/// The end of the chain: replays, records, forwards or explains why not, as the tape decides. It always answers.
final class CassetteResponder: Responder {
  private let tape: LoopCache<CassetteSlot>
  private let cursors: ReplayCursors?
  private let upstream: UpstreamClient?
  private let replay: Replay
  /// Whether every answer is explained.
  private let explains: Bool

  /// - Parameter cursors: of the session it answers for; nil for the cassette's own.
  init(
    tape: LoopCache<CassetteSlot>, cursors: ReplayCursors? = nil, upstream: UpstreamClient?,
    replay: Replay, explains: Bool = false
  ) {
    self.tape = tape
    self.cursors = cursors
    self.upstream = upstream
    self.replay = replay
    self.explains = explains
  }

  func respond(to request: HTTPRequest) -> ServedResponse? {
    let tape = tape.current
    guard tape.comparesAddresses, let compared = tape.compared(request) else {
      return respond(to: request, comparing: request, tape)
    }
    return respond(to: request, comparing: compared, tape)
  }

  /// - Parameter compared: the request as it is compared, and explained.
  private func respond(to request: HTTPRequest, comparing compared: HTTPRequest, _ tape: InsertedCassette)
    -> ServedResponse
  {
    switch tape.decide(compared, cursors: cursors) {
    case .replay(let turn, let substitution): replayed(turn, substitution, to: request, compared, tape)
    case .record(let arrival): ask(request, tape, job: RecordingJob(tape: tape, arrival: arrival))
    case .forward: ask(request, tape, job: nil)
    case .refuse(let recorded): refuse(compared, tape, recorded: recorded)
    }
  }

  private func replayed(
    _ turn: InteractionSequence.Turn, _ substitution: ResponseExplanation.Substitution?,
    to request: HTTPRequest, _ compared: HTTPRequest, _ tape: InsertedCassette
  ) -> ServedResponse {
    var answer = replay.answer(turn.answer, to: request, rewriter: tape.rewriter)
    let drift = tape.matcher.seesDrift ? tape.drift(of: compared, from: turn.answer) : []
    if explains || !drift.isEmpty || substitution != nil {
      answer.explanation = ResponseExplanation(
        file: turn.answer.fileName, turn: turn.number, turns: turn.recorded, drift: drift,
        substitution: substitution)
    }
    return answer
  }

  private func ask(_ request: HTTPRequest, _ tape: InsertedCassette, job: RecordingJob?) -> ServedResponse {
    guard let upstream else { return refuse(request, tape, recorded: 0) }
    let rewriter = tape.liveRewriter
    let exchange = LiveExchange(
      request: rewriter?.forwarded(request) ?? request, client: upstream, tape: tape, job: job)
    let content = ServedResponse.Content.stream(exchange)
    return ServedResponse(
      rewriter?.rewritten(content, for: request) ?? content, by: .upstream,
      explanation: explains ? ResponseExplanation(isRecorded: job != nil) : nil)
  }

  /// Explains why. The log hears the first such request in full, the report all of them.
  private func refuse(_ request: HTTPRequest, _ tape: InsertedCassette, recorded: Int) -> ServedResponse {
    let shown = tape.matcher.redaction.redacted(request)
    let miss = tape.missExplanation.miss(shown, cassette: tape.cassette, recorded: recorded)
    let isFirst = tape.statistics.countUnmatched(miss)
    return ServedResponse(
      .response(miss.problem(status: tape.missExplanation.status)), by: .unmatched,
      explanation: ResponseExplanation(
        nearest: miss.nearest.first?.file, lines: isFirst ? miss.lines : [],
        document: isFirst ? .object(miss.explanation) : nil))
  }
}
