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
  private let origins: OriginClients?
  private let pace: ReplayPace
  private let onCut: CutPolicy
  private let loop: EventLoop
  private let sequences: SequenceCache
  /// So many recordings are searched for the nearest ones at once; among more it happens off the loop.
  private static let maximumScanned = 32
  // Used again for every lookup. Nobody who is called while it is written comes back here.
  @exclusivity(unchecked) private var key = KeyWriter()

  /// - Parameters:
  ///   - cassette: that of the proxy, or of the session it responds for.
  ///   - cursors: of the session it responds for; `nil` for the cassette's own.
  init(_ parts: ChainParts, _ cassette: LoopCache<CassetteSlot>, cursors: ReplayCursors?) {
    self.cassette = cassette
    self.cursors = cursors
    origins = parts.origins
    sequences = parts.sequences
    pace = parts.configuration.pace
    onCut = parts.configuration.onCut
    loop = parts.loop
  }

  /// An upload can be passed on if it goes to the origin whatever the cassette holds for it. A coded one must be opened
  /// to be redacted.
  func needsBody(of request: HTTPRequest) -> Bool {
    let cassette = cassette.current
    guard origins != nil, !request.asksForWebSocket else { return true }
    if let routes = cassette.routes {
      switch routes.place(request) {
      case .origin: break
      case .outside: return cassette.disposition(.unknown) == .refuse
      case .none: return true
      }
    }
    let situations = cassette.cassette == nil ? [RecordingSituation.unknown] : RecordingSituation.allCases
    let dispositions = Set(situations.map(cassette.disposition))
    if dispositions == [.forward] { return false }
    return dispositions != [.record]
      || cassette.matcher.redaction.isOn && BodyCoding(request.fields) != .identity
  }

  func respond(to request: HTTPRequest, decisions: DecisionCollector?) -> ServedResponse? {
    let cassette = cassette.current
    guard let routes = cassette.routes else {
      return respond(to: request, asked: request, cassette, decisions)
    }
    switch routes.place(request) {
    case .origin(let placed): return respond(to: placed, asked: request, cassette, decisions)
    case .outside(let placed): return pass(placed, cassette, decisions)
    case .none(let reason):
      decisions?.respond(.server, .refused)
      return ServedResponse(.response(.problem(400, reason)), by: .server)
    }
  }

  /// - Parameters:
  ///   - request: the request as its origin knows it.
  ///   - asked: the request as the client sent it, which differs where there are several origins.
  private func respond(
    to request: HTTPRequest, asked: HTTPRequest, _ cassette: InsertedCassette,
    _ decisions: DecisionCollector?
  ) -> ServedResponse {
    guard cassette.comparesAddresses, let compared = cassette.compared(request, asked: asked) else {
      return respond(to: request, asked: asked, comparing: request, cassette, decisions)
    }
    return respond(to: request, asked: asked, comparing: compared, cassette, decisions)
  }

  /// - Parameter compared: the request as it is compared, and explained.
  private func respond(
    to request: HTTPRequest, asked: HTTPRequest, comparing compared: HTTPRequest,
    _ cassette: InsertedCassette, _ decisions: DecisionCollector?
  ) -> ServedResponse {
    // The key of an upload is not known yet, and nothing depends on it.
    let recorded = request.uploadBytes == nil ? cassette.cassette : nil
    let sequence =
      recorded?.sequence(for: compared, using: &key, sequences) ?? recorded?.linkedSequence(for: compared)
    let turn = sequence?.next(for: compared, onExhausted: cassette.onExhausted, cursors: cursors)
    let situation: RecordingSituation = turn != nil ? .recorded : sequence != nil ? .exhausted : .unknown
    switch cassette.disposition(situation) {
    case .replay:
      guard let turn else { break }
      return replay(turn, nil, to: asked, compared, cassette, decisions)
    case .record:
      return fetch(request, asked: asked, cassette, arrival: cassette.recorder?.nextArrival(), decisions)
    case .forward: return fetch(request, asked: asked, cassette, arrival: nil, decisions)
    case .refuse: break
    }
    if sequence == nil, let substitutes = recorded?.substitute(for: compared),
      let turn = substitutes.next(for: compared, onExhausted: cassette.onExhausted, cursors: cursors)
    {
      return replay(turn, .otherVariant, to: asked, compared, cassette, decisions)
    }
    return refuse(compared, cassette, recorded: sequence?.count ?? 0, decisions)
  }

  private func replay(
    _ turn: InteractionSequence.Turn, _ substitution: Decision.Substitution?, to asked: HTTPRequest,
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
    if turn.interaction.status == 101 {
      return replayWebSocket(turn, to: asked, compared, cassette, decisions)
    }
    return ServedResponse(content(turn.interaction, to: asked, cassette), by: .cassette)
  }

  private func replayWebSocket(
    _ turn: InteractionSequence.Turn, to asked: HTTPRequest, _ compared: HTTPRequest,
    _ cassette: InsertedCassette, _ decisions: DecisionCollector?
  ) -> ServedResponse {
    do throws(CassetteError) {
      let interaction = try turn.interaction.read()
      guard let handshake = WebSocketHandshake(asked), let recorded = interaction.response.webSocket else {
        let refusal = HTTPResponse.problem(426, "a WebSocket was recorded for this request, which opens none")
        return ServedResponse(.response(refusal), by: .cassette)
      }
      if let refusal = handshake.refusal { return ServedResponse(.response(refusal), by: .cassette) }
      var head = interaction.response.head
      if let rewriter = cassette.responseRewriter(for: asked) {
        head.fields = rewriter.rewritten(head.fields, proxyAuthority: asked.authority)
      }
      let file = turn.interaction.fileName
      let source = RecordedSocket(
        handshake.opening(head), recorded, matcher: cassette.matcher, pace: pace, onCut: onCut, loop: loop
      ) { number, expected, received in
        let miss = cassette.missExplanation.miss(
          cassette.matcher.redaction.redacted(compared), file: file, message: number, expected: expected,
          received: received)
        decisions?.respond(.unmatched, .missed(miss, isFirst: cassette.statistics.countUnmatched(miss)))
      }
      var response = ServedResponse(.stream(source), by: .cassette)
      response.upgrade = source
      return response
    } catch {
      return ServedResponse(.response(.unreadable(error)), by: .cassette)
    }
  }

  private func content(
    _ stored: StoredInteraction, to asked: HTTPRequest, _ cassette: InsertedCassette
  ) -> ServedResponse.Content {
    do throws(CassetteError) {
      if asked.fields.contains("last-event-id"), let rest = try stored.rest(for: asked) {
        return content(rest, to: asked, cassette.responseRewriter(for: asked))
      }
      if case .instant = pace, let prepared = try cassette.prepared(stored) { return .prepared(prepared) }
      return content(try stored.read(), to: asked, cassette.responseRewriter(for: asked))
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

  /// Forwards a request of a host whose traffic is not recorded, where origins may be asked.
  private func pass(
    _ request: HTTPRequest, _ cassette: InsertedCassette, _ decisions: DecisionCollector?
  ) -> ServedResponse {
    guard cassette.disposition(.unknown) == .refuse else {
      return fetch(request, asked: request, cassette, arrival: nil, decisions)
    }
    decisions?.respond(.server, .refused)
    let host = String(decoding: request.authority, as: UTF8.self)
    return ServedResponse(.response(.problem(403, RequestPolicy.outsideDetail(host))), by: .server)
  }

  /// - Parameter arrival: the place of the request in the recording; `nil` where it is only forwarded.
  private func fetch(
    _ request: HTTPRequest, asked: HTTPRequest, _ cassette: InsertedCassette, arrival: Int?,
    _ decisions: DecisionCollector?
  ) -> ServedResponse {
    guard let origins else { return refuse(request, cassette, recorded: 0, decisions) }
    let client: UpstreamClient
    do { client = try origins.client(for: request) } catch {
      let response = HTTPResponse.problem(502, "\(error)", cause: "proxy_internal_error")
      cassette.countFailed(request, response.failure)
      return ServedResponse(.response(response), by: .upstream)
    }
    decisions?.respond(.upstream, .forwarded(isRecorded: arrival != nil))
    let rewriter = cassette.requestRewriter(for: asked)
    let exchange = OriginExchange(
      rewriter?.forwarded(request, from: asked) ?? request, rewriter: rewriter,
      proxyAuthority: asked.authority,
      client: client, cassette: cassette, arrival: arrival, loop: loop)
    let content = ServedResponse.Content.stream(exchange)
    var response = ServedResponse(rewriter?.rewritten(content, for: asked) ?? content, by: .upstream)
    if request.asksForWebSocket { response.upgrade = exchange }
    if request.uploadBytes != nil { response.upload = exchange }
    return response
  }

  /// Explains the miss. The log tells the first miss of its sort in full, the report all of them.
  /// - Parameter recorded: how many responses were recorded, all of which have been given.
  private func refuse(
    _ request: HTTPRequest, _ cassette: InsertedCassette, recorded: Int, _ decisions: DecisionCollector?
  ) -> ServedResponse {
    let explain: @Sendable () -> Miss = {
      let shown = cassette.matcher.redaction.redacted(request)
      return cassette.missExplanation.miss(shown, cassette: cassette.cassette, recorded: recorded)
    }
    let respond = { (miss: Miss) in
      let isFirst = cassette.statistics.countUnmatched(miss)
      decisions?.respond(.unmatched, .missed(miss, isFirst: isFirst))
      return miss.problem(status: cassette.missExplanation.configuration.missStatus)
    }
    guard let count = cassette.cassette?.count, count > Self.maximumScanned else {
      return ServedResponse(.response(respond(explain())), by: .unmatched)
    }
    return ServedResponse(
      .stream(MissSource(to: request.method, loop: loop, explain: explain, respond: respond)), by: .unmatched)
  }
}
