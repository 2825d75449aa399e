internal import TapedeckHTTP
internal import TapedeckRecording
internal import TapedeckUpstream

/// The end of the chain: replays, records, forwards or explains why not, as the tape decides. It always answers.
final class TapeResponder: Responder {
  private let tape: Tape
  private let upstream: UpstreamClient?
  private let liveRewriter: OriginRewriter?
  private let replay: Replay
  private let missExplanation: MissExplanation
  /// Whether every answer is explained.
  private let explains: Bool

  init(
    tape: Tape, upstream: UpstreamClient?, liveRewriter: OriginRewriter?, replay: Replay,
    missExplanation: MissExplanation, explains: Bool = false
  ) {
    self.tape = tape
    self.upstream = upstream
    self.liveRewriter = liveRewriter
    self.replay = replay
    self.missExplanation = missExplanation
    self.explains = explains
  }

  func respond(to request: HTTPRequest) -> HTTPAnswer? {
    switch tape.decide(request) {
    case .replay(let turn): replayed(turn, to: request)
    case .record(let arrival): ask(request, job: RecordingJob(tape: tape, arrival: arrival))
    case .forward: ask(request, job: nil)
    case .refuse(let recorded): refuse(request, recorded: recorded)
    }
  }

  private func replayed(_ turn: RecordedSequence.Turn, to request: HTTPRequest) -> HTTPAnswer {
    var answer = replay.answer(turn.answer, to: request)
    let drift = tape.matcher.seesDrift ? tape.drift(of: request, from: turn.answer) : []
    if explains || !drift.isEmpty {
      answer.explanation = AnswerExplanation(
        file: turn.answer.fileName, turn: turn.number, turns: turn.recorded, drift: drift)
    }
    return answer
  }

  private func ask(_ request: HTTPRequest, job: RecordingJob?) -> HTTPAnswer {
    guard let upstream else { return refuse(request, recorded: 0) }
    let exchange = LiveExchange(
      request: request, client: upstream, job: job, rewriter: liveRewriter,
      statistics: tape.statistics)
    return HTTPAnswer(
      .stream(exchange), by: .upstream,
      explanation: explains ? AnswerExplanation(isRecorded: job != nil) : nil)
  }

  /// Explains why. The log hears the first such request in full, the report all of them.
  private func refuse(_ request: HTTPRequest, recorded: Int) -> HTTPAnswer {
    let shown = tape.matcher.redaction.redacted(request)
    let miss = missExplanation.miss(shown, cassette: tape.cassette, recorded: recorded)
    let isFirst = tape.statistics.countUnmatched(miss)
    return HTTPAnswer(
      .response(miss.problem(status: missExplanation.status)), by: .unmatched,
      explanation: AnswerExplanation(
        nearest: miss.nearest.first?.file, lines: isFirst ? miss.lines : [],
        document: isFirst ? .object(miss.explanation) : nil))
  }
}
