internal import Synchronization
internal import TapedeckHTTP
internal import TapedeckRecording

/// Counters that every loop adds to.
final class ProxyStatistics: Sendable {
  private struct Counted {
    var summary = ProxySummary()
    var misses = GroupLedger<MissGroup>()
    var drifts = GroupLedger<DriftedField>()
    var driftedFiles: [String: Int] = [:]
    var failures = GroupLedger<FailedExchange>()
  }

  // Counted while a response is replayed, so without a lock.
  private let replayed = Atomic(0)
  private let repeated = Atomic(0)
  private let overridden = Atomic(0)
  private let otherClients = Atomic(0)
  private let counted = Mutex(Counted())
  private let histograms = Mutex<[LatencyHistogram]>([])
  private let measures = Atomic(false)
  let mentions: OriginMentions

  init(namesOptions: Bool = true, notice: @escaping @Sendable (String) -> Void = { _ in }) {
    mentions = OriginMentions(namesOptions: namesOptions, notice: notice)
  }

  func count(_ source: ServedResponse.Source) {
    switch source {
    case .cassette: replayed.add(1, ordering: .relaxed)
    case .route, .store: overridden.add(1, ordering: .relaxed)
    case .upstream, .unmatched, .server: break
    }
  }

  // MARK: Latencies

  /// Whether exchanges are timed, as they are once there is an admin API to tell it.
  var measuresLatency: Bool { measures.load(ordering: .relaxed) }
  func measureLatency() { measures.store(true, ordering: .relaxed) }

  /// A histogram for one loop, which no other loop writes to.
  func makeHistogram() -> LatencyHistogram {
    let histogram = LatencyHistogram()
    histograms.withLock { $0.append(histogram) }
    return histogram
  }

  var latencies: (counts: [Int], sumNanoseconds: Int) {
    LatencyHistogram.total(histograms.withLock { $0 })
  }

  // MARK: Counting

  func countRepeated() { repeated.add(1, ordering: .relaxed) }
  func countOtherClient() { otherClients.add(1, ordering: .relaxed) }

  /// Counts what needs no group.
  /// - Returns: whether it was the first.
  @discardableResult
  func count(_ counter: any WritableKeyPath<ProxySummary, Int> & Sendable) -> Bool {
    counted.withLock {
      $0.summary[keyPath: counter] += 1
      return $0.summary[keyPath: counter] == 1
    }
  }

  /// Takes back what was counted too early.
  func uncount(_ counter: any WritableKeyPath<ProxySummary, Int> & Sendable) {
    counted.withLock { $0.summary[keyPath: counter] -= 1 }
  }

  /// Counts the files of a sealed cassette; a run that changes cassettes seals several.
  func countSealed(_ report: SealReport) {
    counted.withLock {
      $0.summary.filesWritten += report.written
      $0.summary.filesRemoved += report.removed
      $0.summary.filesRedacted += report.rehidden
    }
  }

  /// Counts the secrets that a session's cassette had hidden when it was sealed.
  func countRedacted(_ count: Int) { counted.withLock { $0.summary.redacted += count } }

  /// - Parameter target: without secrets.
  func countFailed(_ failure: ExchangeFailure, method: String, target: String) {
    counted.withLock {
      $0.summary.failed += 1
      $0.failures.add([method, target, failure.cause], \.count) {
        FailedExchange(method: method, target: target, failure: failure, count: 1)
      }
    }
  }

  /// - Returns: whether it is the first of its kind.
  func countUnmatched(_ miss: Miss) -> Bool {
    counted.withLock {
      $0.summary.unmatched += 1
      return $0.misses.add([miss.sort], \.count) { MissGroup(miss: miss, count: 1) }
    }
  }

  func countTunnel(to authority: String) {
    counted.withLock {
      $0.summary.tunnels += 1
      let hosts = $0.summary.tunnelledHosts
      if hosts.count < 100, !hosts.contains(authority) { $0.summary.tunnelledHosts.append(authority) }
    }
  }

  func countDrift(_ differences: [RequestDifference], file: String) {
    counted.withLock {
      $0.summary.drifted += 1
      $0.driftedFiles[file, default: 0] += 1
      var seen: Set<String> = []
      for difference in differences where seen.insert(difference.place).inserted {
        $0.drifts.add([difference.place], \.count) {
          DriftedField(
            field: difference.place, count: 1, recorded: difference.recorded, received: difference.received)
        }
      }
    }
  }

  /// How many requests that got a recording drifted, by its file.
  var driftedFiles: [String: Int] { counted.withLock { $0.driftedFiles } }

  /// The counters now; what only the cassette knows is left at nothing.
  var summary: ProxySummary {
    var summary = counted.withLock { counted in
      var summary = counted.summary
      (summary.unmatchedRequests, summary.otherUnmatched) = (counted.misses.groups, counted.misses.others)
      (summary.driftedFields, summary.otherDrift) = (counted.drifts.groups, counted.drifts.others)
      (summary.failures, summary.otherFailures) = (counted.failures.groups, counted.failures.others)
      return summary
    }
    summary.driftedFields.sort { ($1.count, $0.field) < ($0.count, $1.field) }
    summary.replayed = replayed.load(ordering: .relaxed)
    summary.repeated = repeated.load(ordering: .relaxed)
    summary.overridden = overridden.load(ordering: .relaxed)
    summary.otherClients = otherClients.load(ordering: .relaxed)
    summary.originMentions = mentions.all
    return summary
  }
}

/// Members of a run, grouped in the order their groups first came. Only a hundred groups are kept; members of others are
/// counted.
struct GroupLedger<Group> {
  static var maximumGroups: Int { 100 }

  private var places: [[String]: Int] = [:]
  private(set) var groups: [Group] = []
  private(set) var others = 0

  /// - Parameters:
  ///   - key: what the members of a group have in common.
  ///   - group: made of the first member, with a count of 1.
  /// - Returns: whether it is the first of its group.
  @discardableResult
  mutating func add(_ key: [String], _ count: WritableKeyPath<Group, Int>, _ group: () -> Group) -> Bool {
    if let place = places[key] {
      groups[place][keyPath: count] += 1
    } else if groups.count >= Self.maximumGroups {
      others += 1
    } else {
      places[key] = groups.count
      groups.append(group())
      return true
    }
    return false
  }
}

extension RequestDifference {
  /// The field without numbers of places in arrays, so that there are few.
  fileprivate var place: String {
    if field.hasPrefix("$"), let word = ignoredBy { return String(word.dropFirst("body:ignore=".count)) }
    return field.hasPrefix("body from byte") ? "body" : field
  }
}
