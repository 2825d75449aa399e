internal import Synchronization
internal import TapedeckHTTP
public import TapedeckOverrides
internal import TapedeckRecording
internal import TapedeckSockets

/// What one test has to itself on a port it shares with others: its place in every recorded sequence, its overrides, its
/// stores and its request log, and a cassette if it was begun with one.
public final class Session: Sendable {
  /// `nil` for the one that requests without a name belong to.
  public let name: String?
  /// The overrides of the session.
  public let overrides: Overrides
  /// The request log of the session.
  public let requestLog: RequestLog
  /// `nil` where the cassette's own are used.
  let cursors: ReplayCursors?
  /// Holds the session's own cassette; `nil` where it uses the proxy's.
  let slot: CassetteSlot?
  private let lastUse: Atomic<Int>
  private let requests = Atomic<Int>(0)
  /// How many of them came before it last began anew.
  private let earlierRequests = Atomic<Int>(0)
  private let dropped = Atomic<Bool>(false)

  init(name: String?, overrides: Overrides, requestLog: RequestLog, slot: CassetteSlot? = nil) {
    self.name = name
    self.slot = slot
    self.overrides = overrides
    self.requestLog = requestLog
    cursors = name == nil ? nil : ReplayCursors()
    lastUse = Atomic(WallClock.now)
  }

  /// The folder of the session's own cassette; `nil` where it uses the proxy's.
  public var cassettePath: String? { slot?.current.cassettePath }

  /// The mode of the session's own cassette; `nil` where it uses the proxy's.
  public var mode: RecordMode? { slot?.current.mode }

  /// Whether what it records is sealed only when it ends.
  var records: Bool { slot?.current.recorder != nil }

  static let nameRule = "1 to 100 letters, digits and . _ - : @ +"

  static func isValid(_ name: String) -> Bool {
    (1...100).contains(name.utf8.count)
      && name.utf8.allSatisfy { ASCII.isAlphanumeric($0) || "._-:@+".utf8.contains($0) }
  }

  /// Counts a request that belongs to it.
  /// - Returns: which one it is since the session began, or last began anew; 1 for the first.
  func countRequest() -> Int {
    lastUse.store(WallClock.now, ordering: .relaxed)
    return requests.add(1, ordering: .relaxed).newValue - earlierRequests.load(ordering: .relaxed)
  }

  /// How many requests belonged to it.
  public var requestCount: Int { requests.load(ordering: .relaxed) }

  /// In milliseconds since 1970 UTC.
  public var lastUsedMilliseconds: Int { lastUse.load(ordering: .relaxed) }

  /// The same for people, as RFC 3339 writes it.
  public var lastUsed: String { Timestamp.text(milliseconds: lastUsedMilliseconds) }

  /// Whether it is gone; a later request of its name begins a new one.
  var isDropped: Bool { dropped.load(ordering: .acquiring) }

  func drop() { dropped.store(true, ordering: .releasing) }

  /// Begins every recorded sequence anew, if the session has a name.
  func rewind() {
    cursors?.rewind()
    earlierRequests.store(requestCount, ordering: .relaxed)
  }

  /// Begins anew: every recorded sequence with its first response, all counts at zero, stores as at the start.
  func reset(_ cassette: Cassette?) {
    if cursors == nil { cassette?.rewind() }
    rewind()
    overrides.reset()
  }
}
