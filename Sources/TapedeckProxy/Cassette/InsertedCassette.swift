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
  /// Knows the origin that the cassette was recorded from.
  let rewriter: OriginRewriter?
  /// Knows the origin that is asked.
  let originRewriter: OriginRewriter?
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
  let onExhausted: ExhaustionPolicy
  private let notice: @Sendable (String) -> Void
  let maxRecordedBodyBytes: Int
  private let failure = Mutex<String?>(nil)
  private let ejected = Atomic<Bool>(false)
  private static let maximumOrigins = 256

  init(
    configuration: ProxyConfiguration, cassette: Cassette?, recorder: CassetteRecorder?,
    upstream: UpstreamOrigin?, statistics: ProxyStatistics
  ) {
    mode = configuration.mode
    cassettePath = configuration.cassette
    rewriting =
      recorder?.rewriting ?? configuration.rewriting.changed(cassette?.recordedRewriting ?? RewriteRules())
    rewriter = OriginRewriter(cassette?.upstream.flatMap { try? UpstreamOrigin($0) }, rewriting)
    originRewriter = OriginRewriter(upstream, rewriting)
    missExplanation = MissExplanation(configuration)
    origins = Self.origins(configuration, cassette)
    self.cassette = cassette
    self.recorder = recorder
    matcher =
      cassette?.matcher ?? recorder?.matcher ?? RequestMatcher(redaction: Redaction(upstream: nil))
    comparesAddresses = !matcher.rules.headers.isDisjoint(with: OriginRewriter.forwardedNames)
    self.statistics = statistics
    cassetteExisted = cassette != nil
    hasUpstream = configuration.upstream != nil
    onExhausted = configuration.onExhausted
    notice = configuration.notice
    maxRecordedBodyBytes = configuration.maxRecordedBodyBytes
  }

  private static func origins(
    _ configuration: ProxyConfiguration, _ cassette: Cassette?
  ) -> [AuthorityName] {
    var names = [configuration.upstream, cassette?.upstream].compactMap { url in
      url.flatMap { try? UpstreamOrigin($0) }.map { AuthorityName($0) }
    }
    if names.first == names.last { names = Array(names.prefix(1)) }
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

  /// The request as it is compared where `comparesAddresses`; `nil` where that is as it came.
  func compared(_ request: HTTPRequest) -> HTTPRequest? { (rewriter ?? originRewriter)?.forwarded(request) }

  /// What becomes of a request.
  func disposition(_ situation: RecordingSituation) -> Disposition {
    mode.disposition(situation, cassetteExists: cassetteExisted, hasUpstream: hasUpstream)
  }

  /// What is sent for an interaction, made when it is first asked for; `nil` where it is made for each request.
  func prepared(_ stored: StoredInteraction) throws(CassetteError) -> PreparedResponse? {
    if let known = stored.preparation { return known.response }
    let response = try stored.read().prepared(rewriter, statistics.mentions)
    return stored.keep(StoredInteraction.Preparation(response)).response
  }

  /// Where a request differs from the interaction it gets, though not by the rules; counted.
  func drift(of request: HTTPRequest, from stored: StoredInteraction) -> [String] {
    let drift = matcher.drift(of: request, from: stored.recorded)
    if !drift.isEmpty { statistics.countDrift(drift, file: stored.fileName) }
    return drift.map(\.field)
  }

  /// Remembers a complete exchange. Returns when the kernel has it; a failure stops recording, not the traffic.
  func record(_ interaction: Interaction, arrival: Int) {
    guard let recorder, failure.withLock({ $0 }) == nil else { return }
    guard !ejected.load(ordering: .acquiring) else {
      return notice(
        "\(interaction.request.method) \(interaction.request.targetText) is not recorded: "
          + "its response came to an end after the cassette was taken out")
    }
    do {
      if try recorder.record(interaction, arrival: arrival) { statistics.count(\.recorded) }
      for coding in recorder.takeUnopenedCodings() {
        notice(
          SecretAdvice.unsearched(coding: coding) + "; without --pass-encodings most origins send none")
      }
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
