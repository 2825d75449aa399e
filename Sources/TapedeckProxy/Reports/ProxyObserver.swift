public import TapedeckHTTP
internal import TapedeckRecording
internal import TapedeckServer
internal import TapedeckSockets

/// How exchanges are told to a person or a program: one line each, written once a turn.
public struct ExchangeLog: Sendable {
  /// Appends the line for an exchange.
  public var format: @Sendable (ExchangeSummary, inout [UInt8]) -> Void
  public var write: @Sendable ([UInt8]) -> Void

  public init(
    format: @escaping @Sendable (ExchangeSummary, inout [UInt8]) -> Void,
    write: @escaping @Sendable ([UInt8]) -> Void
  ) {
    self.format = format
    self.write = write
  }

  /// Milliseconds since 1970-01-01 UTC, for lines that carry the time.
  package static var timeMilliseconds: Int { WallClock.now }
}

/// Counts the exchanges of one loop and logs them.
final class ProxyObserver: ExchangeObserver {
  private let statistics: ProxyStatistics
  private let log: ExchangeLog?
  private let cassette: LoopCache<CassetteSlot>
  private let healthPath: [UInt8]?
  private let histogram: LatencyHistogram
  private var lines: [UInt8] = []

  init(statistics: ProxyStatistics, _ configuration: ProxyConfiguration, slot: CassetteSlot, loop: EventLoop)
  {
    self.statistics = statistics
    histogram = statistics.makeHistogram()
    log = configuration.log
    healthPath = configuration.healthPath.map { Array($0.utf8) }
    cassette = LoopCache(slot)
    guard log != nil else { return }
    loop.atEveryTurnEnd { [weak self] in self?.flush() }
  }

  func exchangeFinished(by source: ServedResponse.Source, _ summary: () -> ExchangeSummary) {
    statistics.count(source)
    let measures = statistics.measuresLatency && source != .server
    guard log != nil || measures else { return }
    var shown = summary()
    if measures { histogram.count(Int(shown.durationNanoseconds)) }
    guard let log, !isProbe(shown) else { return }
    // The front of the chain has redacted the target of what it was asked.
    shown.target = cassette.current.shown(shown.target, isRedacted: shown.decisions != nil)
    log.format(shown, &lines)
  }

  /// Health probes come too often to be logged.
  private func isProbe(_ exchange: ExchangeSummary) -> Bool {
    guard let healthPath, exchange.source == .server else { return false }
    return exchange.target.prefix { $0 != UInt8(ascii: "?") }.elementsEqual(healthPath)
  }

  private func flush() {
    guard !lines.isEmpty else { return }
    log?.write(lines)
    lines.removeAll(keepingCapacity: true)
  }

  deinit { flush() }
}
