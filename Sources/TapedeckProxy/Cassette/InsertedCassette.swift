internal import Synchronization
internal import TapedeckHTTP
internal import TapedeckRecording
import TapedeckRedaction
import TapedeckSockets
internal import TapedeckUpstream

/// The cassette that is in, shared by all loops: what may be replayed, where new exchanges go, and the mode.
final class InsertedCassette: Sendable {
  let mode: RecordMode
  /// The folder of the cassette, there or to be made.
  let cassettePath: String?
  /// `nil` where nothing is replayed.
  let cassette: Cassette?
  let recorder: CassetteRecorder?
  let matcher: RequestMatcher
  /// Finds the origin of each request; `nil` where there is one.
  let routes: OriginRoutes?
  /// Knows the origin that the cassette was recorded from.
  private let rewriter: OriginRewriter?
  /// Knows the origin that is asked.
  private let originRewriter: OriginRewriter?
  /// One for each of `routes`.
  private let routeRewriters: [OriginRewriter]
  /// How clients reach several origins, as it is recorded.
  let upstreams: RecordedUpstreams?
  /// Whether fields by which requests are compared name the proxy where the recorded ones name the origin.
  let comparesAddresses: Bool
  let missExplanation: MissExplanation
  /// Whose requests these are: the origin that is asked, the one that the cassette was recorded from, and in what other
  /// tools recorded, which may be of several, those that its requests name.
  let origins: [AuthorityName]
  let statistics: ProxyStatistics
  /// The rewriting of responses for clients.
  let rewriting: RewriteRules
  private let cassetteExisted: Bool
  private let hasUpstream: Bool
  /// Whether its interactions say from which origin they are.
  let hasSeveralOrigins: Bool
  /// Whether its interactions say by which host their requests came.
  let recordsHosts: Bool
  let onExhausted: ExhaustionPolicy
  private let notice: @Sendable (String) -> Void
  let maxRecordedBodyBytes: Int
  private let failure = Mutex<String?>(nil)
  private let ejected = Atomic<Bool>(false)
  private static let maximumOrigins = 256

  init(
    configuration: ProxyConfiguration, cassette: Cassette?, recorder: CassetteRecorder?,
    upstream: UpstreamOrigin?, patterns: [UpstreamPattern], statistics: ProxyStatistics
  ) {
    mode = configuration.mode
    cassettePath = configuration.cassette
    rewriting =
      recorder?.rewriting ?? configuration.rewriting.changed(cassette?.recordedRewriting ?? RewriteRules())
    rewriter = OriginRewriter(cassette?.upstream.flatMap { try? UpstreamOrigin($0) }, rewriting)
    originRewriter = OriginRewriter(upstream, rewriting)
    hasSeveralOrigins = configuration.hasSeveralOrigins || cassette?.hasSeveralOrigins == true
    let forward = Self.forward(configuration, cassette)
    routes = hasSeveralOrigins ? OriginRoutes(patterns, forward: forward, configuration) : nil
    routeRewriters = routes?.rewriters(rewriting, listening: configuration.listen) ?? []
    upstreams =
      hasSeveralOrigins
      ? RecordedUpstreams(patterns: patterns.map(\.description), isForward: forward != nil) : nil
    missExplanation = MissExplanation(configuration)
    origins = Self.origins(patterns, cassette)
    self.cassette = cassette
    self.recorder = recorder
    matcher =
      cassette?.matcher ?? recorder?.matcher ?? RequestMatcher(redaction: Redaction(upstream: nil))
    recordsHosts = hasSeveralOrigins || matcher.rules.parts.contains(.host)
    comparesAddresses = !matcher.rules.headers.isDisjoint(with: OriginRewriter.forwardedNames)
    self.statistics = statistics
    cassetteExisted = cassette != nil
    hasUpstream = configuration.asksOrigins
    onExhausted = configuration.onExhausted
    notice = configuration.notice
    maxRecordedBodyBytes = configuration.maxRecordedBodyBytes
  }

  private static func origins(_ patterns: [UpstreamPattern], _ cassette: Cassette?) -> [AuthorityName] {
    let recorded = cassette?.upstream.flatMap { try? UpstreamOrigin($0) }
    var names: [AuthorityName] = []
    for name in (patterns.map(\.origin) + [recorded].compactMap(\.self)).map({ AuthorityName($0) })
    where !names.contains(name) { names.append(name) }
    var last: [UInt8] = []
    for interaction in cassette?.interactions ?? [] where names.count < maximumOrigins {
      guard let host = interaction.recorded.request.fields.first("host"), !host.elementsEqual(last) else {
        continue
      }
      last = Array(host)
      let name = AuthorityName(last)
      if !names.contains(name) { names.append(name) }
    }
    return names
  }

  /// How clients that name the origin are served: as the user says, and as the cassette was recorded.
  private static func forward(_ configuration: ProxyConfiguration, _ cassette: Cassette?) -> ForwardProxy? {
    if let forward = configuration.forward { return forward }
    guard let cassette, cassette.hasSeveralOrigins, configuration.upstreams.isEmpty else { return nil }
    return cassette.upstreams?.isForward == false ? nil : ForwardProxy()
  }

  /// The request as it is compared where `comparesAddresses`; `nil` where that is as it came.
  func compared(_ request: HTTPRequest, asked: HTTPRequest) -> HTTPRequest? {
    let rewriter = routes == nil ? rewriter ?? originRewriter : routeRewriter(for: asked)
    return rewriter?.forwarded(request, from: asked)
  }

  /// Rewrites recorded responses for the client of a request; `nil` where nothing is rewritten.
  func responseRewriter(for asked: HTTPRequest) -> OriginRewriter? {
    (routes == nil ? rewriter : routeRewriter(for: asked))?.serving(asked.scheme)
  }

  /// Rewrites a request for the origin, and the response for the client; `nil` where nothing is rewritten.
  func requestRewriter(for asked: HTTPRequest) -> OriginRewriter? {
    (routes == nil ? originRewriter : routeRewriter(for: asked))?.serving(asked.scheme)
  }

  /// Of several origins, the one of a request; `nil` for a forward proxy.
  private func routeRewriter(for asked: HTTPRequest) -> OriginRewriter? {
    guard !routeRewriters.isEmpty, let routes, routes.forward == nil || !asked.namesOrigin else { return nil }
    return switch routes.way(of: asked) {
    case .route(let index): routeRewriters[index]
    case .named(let index): routeRewriters[index].named
    case nil: nil
    }
  }

  /// What becomes of a request.
  func disposition(_ situation: RecordingSituation) -> Disposition {
    mode.disposition(situation, cassetteExists: cassetteExisted, hasUpstream: hasUpstream)
  }

  /// What is sent for an interaction, made when it is first asked for; `nil` where it is made for each request.
  func prepared(_ stored: StoredInteraction) throws(CassetteError) -> PreparedResponse? {
    if let known = stored.prepared { return known }
    let interaction = try stored.read()
    let rewriters =
      routes == nil
      ? rewriter.map { [$0] } ?? [] : routeRewriters.filter { $0.isOrigin(of: interaction.request) }
    let response = interaction.prepared(rewriters, statistics.mentions)
    return stored.keep(prepared: response)
  }

  /// Where a request differs from the interaction it gets, though not by the rules; counted.
  func drift(of request: HTTPRequest, from stored: StoredInteraction) -> [String] {
    let drift = matcher.drift(of: request, from: stored.recorded)
    if !drift.isEmpty { statistics.countDrift(drift, file: stored.fileName) }
    return drift.map(\.field)
  }

  /// Takes a complete exchange for the recording, and its secrets out of it. A failure stops recording, not the traffic.
  /// - Returns: its number for `commit`; `nil` if it is not recorded.
  func add(redacting interaction: inout Interaction, arrival: Int) -> Int? {
    guard let recorder, failure.withLock({ $0 }) == nil else { return nil }
    guard !ejected.load(ordering: .acquiring) else {
      notice(
        "\(interaction.request.method) \(interaction.request.targetText) is not recorded: "
          + "its response came to an end after the cassette was taken out")
      return nil
    }
    do {
      let number = try recorder.add(redacting: &interaction, arrival: arrival)
      for coding in recorder.takeUnopenedCodings() {
        notice(
          SecretAdvice.unsearched(coding: coding) + "; without --pass-encodings most origins send none")
      }
      return number
    } catch {
      fail("\(error)")
      return nil
    }
  }

  /// Returns when the kernel has the exchange, and all that were added before.
  func commit(_ number: Int) {
    do {
      guard try recorder?.commit(number) == true else { return fail("the journal could not be written") }
      statistics.count(\.recorded)
    } catch {
      fail("\(error)")
    }
  }

  /// Counts an exchange with the origin that failed.
  func countFailed(_ request: HTTPRequest, _ failure: ExchangeFailure?) {
    guard let failure else {
      statistics.count(\.failed)
      return
    }
    statistics.countFailed(
      failure, method: request.method.rawValue, target: RequestTarget.text(shownTarget(request)))
  }

  /// The target of a request as logs and reports may show it: without what its body shows to be a secret either.
  func shownTarget(_ request: HTTPRequest) -> [UInt8] {
    let redaction = matcher.redaction
    let isHidden = redaction.mayHide(request)
    return shown(isHidden ? redaction.comparable(request).target : request.target, isRedacted: true)
  }

  /// A target as logs and reports may show it: without secrets that the run has brought to light either.
  /// - Parameter isRedacted: whether it has been redacted.
  func shown(_ target: [UInt8], isRedacted: Bool) -> [UInt8] {
    let target = isRedacted ? target : matcher.redaction.redacted(target: target)
    return recorder?.hidingKnownSecrets(inTarget: target) ?? target
  }

  /// Says that nothing more will be recorded here.
  func eject() { ejected.store(true, ordering: .releasing) }

  func fail(_ problem: String) {
    let isFirst = failure.withLock { failure in
      defer { failure = failure ?? problem }
      return failure == nil
    }
    if isFirst { notice("recording stopped, traffic goes on: \(problem)") }
  }

  /// A client left before there was anything to remember: the first time is told, the summary counts them all.
  func tellLeft(_ request: HTTPRequest) {
    let target = RequestTarget.text(shownTarget(request))
    notice("\(request.method) \(target) is not recorded: the client left before its response was complete")
  }

  /// A client left an upload that the origin had responded to already.
  func tellUnsent(_ request: HTTPRequest) {
    let target = RequestTarget.text(shownTarget(request))
    notice(
      "\(request.method) \(target) is not recorded: "
        + "the origin responded before it had the whole body, and the client did not send the rest")
  }

  /// Remembers what came over a WebSocket. Returns when the kernel has it.
  /// - Returns: the bytes that it took.
  func record(_ webSocket: RecordedWebSocket, of arrival: Int) -> Int {
    guard let recorder, failure.withLock({ $0 }) == nil, !ejected.load(ordering: .acquiring) else { return 0 }
    do { return try recorder.record(webSocket, of: arrival) } catch {
      fail("\(error)")
      return 0
    }
  }

  /// Takes a WebSocket out of the recording, which is told.
  func drop(webSocket request: HTTPRequest, of arrival: Int, because reason: String) {
    notice("the WebSocket \(RequestTarget.text(shownTarget(request))) is not recorded: \(reason)")
    do {
      if try recorder?.drop(webSocketOf: arrival) == true { statistics.uncount(\.recorded) }
    } catch {
      fail("\(error)")
    }
  }

  /// A response that is too large is not recorded. That is no failure, but the first one is told.
  func skipOversized() {
    if statistics.count(\.oversized) {
      notice("a response is too large to be recorded and only passes through; the limit is --max-record-body")
    }
  }

  /// Why recording broke off, if it did.
  var recordingFailure: String? { failure.withLock { $0 } }
}

/// Holds the cassette that is in, which can be changed while the proxy runs. Reading it during a change waits for its
/// end.
final class CassetteSlot: Versioned {
  private let slot: Mutex<InsertedCassette>
  private let changes = Atomic<Int>(0)

  init(_ cassette: InsertedCassette) { slot = Mutex(cassette) }

  var current: InsertedCassette { slot.withLock { $0 } }
  var version: Int { changes.load(ordering: .acquiring) }

  /// Puts what `make` returns in the place of the cassette. When it throws, the cassette stays.
  func replace(_ make: (InsertedCassette) throws -> InsertedCassette) throws {
    try slot.withLock { cassette in
      // From here on nobody takes what is in for what will be.
      changes.add(1, ordering: .releasing)
      defer { changes.add(1, ordering: .releasing) }
      cassette = try make(cassette)
    }
  }
}
