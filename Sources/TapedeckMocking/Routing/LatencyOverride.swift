internal import Synchronization

/// The latencies that hold for all routers.
enum LatencyOverride {
  private struct Values {
    var general: Latency = .zero
    var forced: Latency?
  }

  private static let values = Mutex(Values())

  static var general: Latency {
    get { values.withLock { $0.general } }
    set { values.withLock { $0.general = newValue } }
  }

  static var forced: Latency? {
    get { values.withLock { $0.forced } }
    set { values.withLock { $0.forced = newValue } }
  }
}

extension Router {
  /// The latency of all routers that have none of their own.
  public static var defaultLatency: Latency {
    get { LatencyOverride.general }
    set { LatencyOverride.general = newValue }
  }

  /// The latency of everything, whatever routers and routes say: a test suite sets it to zero. Nil for none.
  public static var forcedLatency: Latency? {
    get { LatencyOverride.forced }
    set { LatencyOverride.forced = newValue }
  }
}
