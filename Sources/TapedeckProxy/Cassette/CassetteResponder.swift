internal import TapedeckHTTP
internal import TapedeckRecording
import TapedeckRedaction
import TapedeckSockets
internal import TapedeckUpstream

/// The end of the chain: replays, records, forwards or explains why not, as the tape decides. It always answers.
final class CassetteResponder: Responder {
  private let tape: LoopCache<CassetteSlot>
  private let cursors: ReplayCursors?
  private let upstream: UpstreamClient?
  private let replay: Replay

  /// - Parameter cursors: of the session it answers for; nil for the cassette's own.
  init(
    tape: LoopCache<CassetteSlot>, cursors: ReplayCursors? = nil, upstream: UpstreamClient?,
    replay: Replay
  ) {
    self.tape = tape
    self.cursors = cursors
    self.upstream = upstream
    self.replay = replay
  }

  func respond(to request: HTTPRequest, decisions: DecisionCollector?) -> ServedResponse? {
    let tape = tape.current
    guard tape.comparesAddresses, let compared = tape.compared(request) else {
      return respond(to: request, comparing: request, tape, decisions)
    }
    return respond(to: request, comparing: compared, tape, decisions)
  }

  /// - Parameter compared: the request as it is compared, and explained.
  private func respond(
    to request: HTTPRequest, comparing compared: HTTPRequest, _ tape: InsertedCassette,
    _ decisions: DecisionCollector?
  ) -> ServedResponse {
    switch tape.decide(compared, cursors: cursors) {
    case .replay(let turn, let substitution):
      replayed(turn, substitution, to: request, compared, tape, decisions)
    case .record(let arrival): ask(request, tape, arrival: arrival, decisions)
    case .forward: ask(request, tape, arrival: nil, decisions)
    case .refuse(let recorded): refuse(compared, tape, recorded: recorded, decisions)
    }
  }

  private func replayed(
    _ turn: InteractionSequence.Turn, _ substitution: Decision.Substitution?,
    to request: HTTPRequest, _ compared: HTTPRequest, _ tape: InsertedCassette,
    _ decisions: DecisionCollector?
  ) -> ServedResponse {
    let drift = tape.matcher.seesDrift ? tape.drift(of: compared, from: turn.answer) : []
    if let decisions {
      let replay = Decision.Replay(
        file: turn.answer.fileName, turn: turn.number, turns: turn.recorded, drift: drift,
        substitution: substitution)
      decisions.respond(.cassette, .replayed(replay))
    }
    return replay.answer(turn.answer, to: request, rewriter: tape.rewriter)
  }

  private func ask(
    _ request: HTTPRequest, _ tape: InsertedCassette, arrival: Int?, _ decisions: DecisionCollector?
  ) -> ServedResponse {
    guard let upstream else { return refuse(request, tape, recorded: 0, decisions) }
    decisions?.respond(.upstream, .forwarded(isRecorded: arrival != nil))
    let rewriter = tape.liveRewriter
    let exchange = OriginExchange(
      rewriter?.forwarded(request) ?? request, client: upstream, cassette: tape, arrival: arrival)
    let content = ServedResponse.Content.stream(exchange)
    return ServedResponse(rewriter?.rewritten(content, for: request) ?? content, by: .upstream)
  }

  /// Explains why. The log hears the first such request in full, the report all of them.
  private func refuse(
    _ request: HTTPRequest, _ tape: InsertedCassette, recorded: Int, _ decisions: DecisionCollector?
  ) -> ServedResponse {
    let shown = tape.matcher.redaction.redacted(request)
    let miss = tape.missExplanation.miss(shown, cassette: tape.cassette, recorded: recorded)
    let isFirst = tape.statistics.countUnmatched(miss)
    decisions?.respond(.unmatched, .missed(miss, isFirst: isFirst))
    return ServedResponse(.response(miss.problem(status: tape.missExplanation.status)), by: .unmatched)
  }
}
