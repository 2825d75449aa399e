internal import Synchronization
internal import TapedeckHTTP
internal import TapedeckRecording

/// The recording that all loops share: what may be replayed, where new exchanges go, and the decision between them.
final class Tape: Sendable {
  /// What to do with one request, with all that doing it takes.
  enum Decision {
    case replay(RecordedAnswer)
    case record(MatchKey, arrival: Int)
    case forward
    case refuse
  }

  let mode: RecordMode
  let cassette: Cassette?
  let recorder: CassetteRecorder?
  private let matcher: RequestMatcher
  let statistics: ProxyStatistics
  private let cassetteExisted: Bool
  private let hasUpstream: Bool
  private let onExhausted: ExhaustionPolicy
  private let notice: @Sendable (String) -> Void
  let maxRecordedBodyBytes: Int
  private let failure = Mutex<String?>(nil)

  init(
    configuration: ProxyConfiguration, cassette: Cassette?, recorder: CassetteRecorder?,
    statistics: ProxyStatistics
  ) {
    mode = configuration.mode
    self.cassette = cassette
    self.recorder = recorder
    matcher = cassette?.matcher ?? RequestMatcher()
    self.statistics = statistics
    cassetteExisted = cassette != nil
    hasUpstream = configuration.upstream != nil
    onExhausted = configuration.onExhausted
    notice = configuration.notice
    maxRecordedBodyBytes = configuration.maxRecordedBodyBytes
  }

  /// Decides, and takes the answer it decides on.
  func decide(_ request: HTTPRequest) -> Decision {
    guard mode != .passthrough else { return hasUpstream ? .forward : .refuse }
    let key = matcher.key(for: request)
    let sequence = mode.consultsCassette ? cassette?.sequence(for: key) : nil
    let answer = sequence?.next(onExhausted: onExhausted)
    let situation: RecordingSituation = answer != nil ? .recorded : sequence != nil ? .exhausted : .unknown
    switch mode.disposition(situation, cassetteExists: cassetteExisted, hasUpstream: hasUpstream) {
    case .replay:
      guard let answer else { return .refuse }
      if answer.isBeyondRecording { statistics.countRepeated() }
      return .replay(answer.answer)
    case .record: return recorder.map { .record(key, arrival: $0.nextArrival()) } ?? .forward
    case .forward: return .forward
    case .refuse: return .refuse
    }
  }

  /// Remembers a complete exchange. Returns when the kernel has it; a failure stops recording, not the traffic.
  func record(_ interaction: Interaction, key: MatchKey, arrival: Int) {
    guard let recorder, failure.withLock({ $0 }) == nil else { return }
    do {
      if try recorder.record(interaction, key: key, arrival: arrival) { statistics.countRecorded() }
    } catch {
      fail("\(error)")
    }
  }

  func fail(_ problem: String) {
    let isFirst = failure.withLock { failure in
      defer { failure = failure ?? problem }
      return failure == nil
    }
    if isFirst { notice("recording stopped, traffic goes on: \(problem)") }
  }

  /// An answer that is too large goes unrecorded: no failure, but the first one is told.
  func skipOversized() {
    if statistics.countOversized() {
      notice("an answer is too large to be recorded and only passes through; the limit is --max-record-body")
    }
  }

  /// Why recording broke off, if it did.
  var recordingFailure: String? { failure.withLock { $0 } }
}
