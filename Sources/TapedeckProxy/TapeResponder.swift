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

  init(
    tape: Tape, upstream: UpstreamClient?, liveRewriter: OriginRewriter?, replay: Replay,
    missExplanation: MissExplanation
  ) {
    self.tape = tape
    self.upstream = upstream
    self.liveRewriter = liveRewriter
    self.replay = replay
    self.missExplanation = missExplanation
  }

  func respond(to request: HTTPRequest) -> HTTPAnswer? {
    switch tape.decide(request) {
    case .replay(let answer): replay.answer(answer, to: request)
    case .record(let key, let arrival):
      ask(request, job: RecordingJob(tape: tape, key: key, arrival: arrival))
    case .forward: ask(request, job: nil)
    case .refuse: refuse(request)
    }
  }

  private func ask(_ request: HTTPRequest, job: RecordingJob?) -> HTTPAnswer {
    guard let upstream else { return refuse(request) }
    let exchange = LiveExchange(
      request: request, client: upstream, job: job, rewriter: liveRewriter,
      statistics: tape.statistics)
    return HTTPAnswer(.stream(exchange), by: .upstream)
  }

  private func refuse(_ request: HTTPRequest) -> HTTPAnswer {
    tape.statistics.countUnmatched()
    return HTTPAnswer(
      .response(missExplanation.response(to: request, cassette: tape.cassette)), by: .unmatched)
  }
}
