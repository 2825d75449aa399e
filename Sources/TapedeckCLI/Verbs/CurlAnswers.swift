internal import Glibc
import TapedeckFormats
internal import TapedeckHTTP
internal import TapedeckProxy
internal import TapedeckRecording

/// The answers to lines of curl, which have none: each origin that they name is asked.
///
/// Whoever imports a script expects a file to be read, so that what is sent is said before it is sent, and what may change
/// something is sent only when that is asked for.
struct CurlAnswers {
  private let asking: AskingArguments
  private let isInsecure: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    asking = try AskingArguments(arguments)
    isInsecure = arguments.has(.insecure)
  }

  func ask(_ planned: [PlannedRequest], for session: inout ImportedSession) throws {
    guard !planned.isEmpty else { return }
    for one in planned where !isAsked(one) {
      session.leaveOut(
        one, because: "\(one.request.method) may change something, and is asked with --unsafe-methods only")
    }
    let asked = planned.filter(isAsked)
    guard !asked.isEmpty else { return }
    if isInsecure { Terminal.say(ServeSettings.insecureWarning) }
    for (origin, count) in Self.counts(asked) {
      Terminal.say("asking \(origin) \(HumanText.count(count, "request")), for lines of curl have no answers")
    }
    let progress = Progress("asking", total: asked.count)
    defer { progress.finish() }
    for group in groups(asked) { try ask(group: group, for: &session, progress) }
  }

  private func isAsked(_ planned: PlannedRequest) -> Bool {
    asking.asksUnsafe || planned.request.method.isSafe
  }

  private static func counts(_ planned: [PlannedRequest]) -> [(origin: String, count: Int)] {
    Dictionary(grouping: planned, by: \.origin).map { ($0.key, $0.value.count) }.sorted { $0.0 < $1.0 }
  }

  /// What one origin is asked at once: all that it is asked, or where a request may change what comes after it, what
  /// stands between requests to others.
  private func groups(_ asked: [PlannedRequest]) -> [[PlannedRequest]] {
    var groups: [[PlannedRequest]] = []
    for one in asked {
      let index =
        asking.asksUnsafe ? groups.indices.last : groups.indices.first { groups[$0][0].origin == one.origin }
      if let index, groups[index][0].origin == one.origin {
        groups[index].append(one)
      } else {
        groups.append([one])
      }
    }
    return groups
  }

  private func ask(
    group: [PlannedRequest], for session: inout ImportedSession, _ progress: Progress
  ) throws {
    let batch = try asking.batch(upstream: group[0].origin)
    let results = try batch.results(for: group.map(\.request)) { index in
      progress.advance(by: 1, "\(group[index].request.method) \(group[index].request.targetText)")
    }
    for (planned, result) in zip(group, results) {
      switch result.outcome {
      case .failed(let reason): session.leaveOut(planned, because: "nothing usable came (\(reason))")
      case .response(let response):
        session.take(
          planned, response,
          VolatileFacts(
            recordedAtMicroseconds: time(nil) * 1_000_000, durationMilliseconds: result.durationMilliseconds))
      }
    }
  }
}
