internal import TapedeckHTTP
internal import TapedeckRecording
internal import TapedeckRedaction
internal import TapedeckSockets
internal import TapedeckUpstream

/// The end of the chain: what the cassette holds for a request and the mode decide whether it is replayed, recorded,
/// forwarded or refused. It always responds.
final class CassetteResponder: Responder {
  private let cassette: LoopCache<CassetteSlot>
  private let cursors: ReplayCursors?
  private let upstream: UpstreamClient?
  private let pace: ReplayPace
  private let onCut: CutPolicy
  private let loop: EventLoop
  // Used again for every lookup. Nobody who is called while it is written comes back here.
  @exclusivity(unchecked) private var key = KeyWriter()

  /// - Parameter cursors: of the session it responds for; `nil` for the cassette's own.
  init(_ parts: ChainParts, cursors: ReplayCursors?) {
    cassette = parts.cassette
    self.cursors = cursors
    upstream = parts.upstream
    pace = parts.configuration.pace
    onCut = parts.configuration.onCut
    loop = parts.loop
  }

  func respond(to request: HTTPRequest, decisions: DecisionCollector?) -> ServedResponse? {
    let cassette = cassette.current
    guard cassette.comparesAddresses, let compared = cassette.compared(request) else {
      return respond(to: request, comparing: request, cassette, decisions)
    }
    return respond(to: request, comparing: compared, cassette, decisions)
  }

  /// - Parameter compared: the request as it is compared, and explained.
  private func respond(
    to request: HTTPRequest, comparing compared: HTTPRequest, _ cassette: InsertedCassette,
    _ decisions: DecisionCollector?
  ) -> ServedResponse {
    let recorded = cassette.cassette
    let sequence = recorded?.sequence(for: compared, using: &key) ?? recorded?.linkedSequence(for: compared)
    let turn = sequence?.next(for: compared, onExhausted: cassette.onExhausted, cursors: cursors)
    let situation: RecordingSituation = turn != nil ? .recorded : sequence != nil ? .exhausted : .unknown
    switch cassette.disposition(situation) {
    case .replay:
      guard let turn else { break }
      return replay(turn, nil, to: request, compared, cassette, decisions)
    case .record: return fetch(request, cassette, arrival: cassette.recorder?.nextArrival(), decisions)
    case .forward: return fetch(request, cassette, arrival: nil, decisions)
    case .refuse: break
    }
    if sequence == nil, let substitutes = recorded?.substitute(for: compared),
      let turn = substitutes.next(for: compared, onExhausted: cassette.onExhausted, cursors: cursors)
    {
      return replay(turn, .otherVariant, to: request, compared, cassette, decisions)
    }
    return refuse(compared, cassette, recorded: sequence?.interactions.count ?? 0, decisions)
  }

  private func replay(
    _ turn: InteractionSequence.Turn, _ substitution: Decision.Substitution?, to request: HTTPRequest,
    _ compared: HTTPRequest, _ cassette: InsertedCassette, _ decisions: DecisionCollector?
  ) -> ServedResponse {
    if turn.isBeyondRecording { cassette.statistics.countRepeated() }
    if turn.isOtherClient { cassette.statistics.countOtherClient() }
    let drift = cassette.matcher.seesDrift ? cassette.drift(of: compared, from: turn.interaction) : []
    if let decisions {
      let replay = Decision.Replay(
        file: turn.interaction.fileName, turn: turn.number, turns: turn.recorded, drift: drift,
        substitution: turn.isOtherClient ? .otherClient : substitution)
      decisions.respond(.cassette, .replayed(replay))
    }
    return ServedResponse(content(turn.interaction, to: request, cassette), by: .cassette)
  }

  private func content(
    _ stored: StoredInteraction, to request: HTTPRequest, _ cassette: InsertedCassette
  ) -> ServedResponse.Content {
    do throws(CassetteError) {
      if case .instant = pace, let prepared = try cassette.prepared(stored) { return .prepared(prepared) }
      return content(try stored.read(), to: request, cassette.rewriter)
    } catch {
      return .response(.unreadable(error))
    }
  }

  /// What is made for each request: what names the origin, is paced, or is too large to be held.
  private func content(
    _ interaction: Interaction, to request: HTTPRequest, _ rewriter: OriginRewriter?
  ) -> ServedResponse.Content {
    guard let rewriter else { return content(interaction) }
    var rewritten = interaction
    let authority = request.authority
    rewritten.response.head.fields = rewriter.rewritten(
      interaction.response.head.fields, proxyAuthority: authority)
    for index in interaction.response.interim.indices {
      rewritten.response.interim[index].fields = rewriter.rewritten(
        interaction.response.interim[index].fields, proxyAuthority: authority)
    }
    return rewriter.rewritten(content(rewritten), for: request)
  }

  private func content(_ interaction: Interaction) -> ServedResponse.Content {
    if pace == .instant, !interaction.isStreamed, case .bytes(let body) = interaction.response.body {
      return .prepared(interaction.prepared(body))
    }
    return .stream(RecordedSource(interaction, pace: pace, onCut: onCut, loop: loop))
  }

  /// - Parameter arrival: the place of the request in the recording; `nil` where it is only forwarded.
  private func fetch(
    _ request: HTTPRequest, _ cassette: InsertedCassette, arrival: Int?, _ decisions: DecisionCollector?
  ) -> ServedResponse {
    guard let upstream else { return refuse(request, cassette, recorded: 0, decisions) }
    decisions?.respond(.upstream, .forwarded(isRecorded: arrival != nil))
    let rewriter = cassette.originRewriter
    let exchange = OriginExchange(
      rewriter?.forwarded(request) ?? request, client: upstream, cassette: cassette, arrival: arrival)
    let content = ServedResponse.Content.stream(exchange)
    return ServedResponse(rewriter?.rewritten(content, for: request) ?? content, by: .upstream)
  }

  /// Explains the miss. The log tells the first miss of its sort in full, the report all of them.
  /// - Parameter recorded: how many responses were recorded, all of which have been given.
  private func refuse(
    _ request: HTTPRequest, _ cassette: InsertedCassette, recorded: Int, _ decisions: DecisionCollector?
  ) -> ServedResponse {
    let shown = cassette.matcher.redaction.redacted(request)
    let explanation = cassette.missExplanation
    let miss = explanation.miss(shown, cassette: cassette.cassette, recorded: recorded)
    let isFirst = cassette.statistics.countUnmatched(miss)
    decisions?.respond(.unmatched, .missed(miss, isFirst: isFirst))
    let response = miss.problem(status: explanation.configuration.missStatus)
    return ServedResponse(.response(response), by: .unmatched)
  }
}
