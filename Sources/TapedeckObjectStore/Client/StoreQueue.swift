/// Requests in their order, and again after a pause where they failed for a while. Sans I/O: the caller tells the time.
///
/// Pauses double from attempt to attempt and are drawn at random below that, so that many clients that failed together
/// do not come back together (AWS, "Exponential Backoff And Jitter": full jitter).
struct StoreQueue {
  static let maximumAttempts = 6
  private static let basePauseMilliseconds = 100
  private static let maximumPauseMilliseconds = 10_000

  enum Step: Equatable {
    case start(Int)
    case wait(milliseconds: Int)
    case none
  }

  private let count: Int
  private var next = 0
  private var paused: [(due: Int, index: Int)] = []
  private var attempts: [Int: Int] = [:]
  private(set) var isEnded = false

  init(count: Int) { self.count = count }

  /// Nothing more is started.
  mutating func end() { isEnded = true }

  mutating func step(now: Int) -> Step {
    guard !isEnded else { return .none }
    if let first = paused.indices.min(by: { paused[$0].due < paused[$1].due }), paused[first].due <= now {
      return .start(paused.remove(at: first).index)
    }
    if next < count {
      defer { next += 1 }
      return .start(next)
    }
    return paused.map(\.due).min().map { .wait(milliseconds: $0 - now) } ?? .none
  }

  /// How often a request was tried and failed.
  func failures(of index: Int) -> Int { attempts[index] ?? 0 }

  /// Puts a failed request back.
  /// - Parameter random: below the bound that it is given.
  /// - Returns: `false` if it was tried often enough.
  mutating func retry(_ index: Int, now: Int, random: (Int) -> Int) -> Bool {
    let failed = failures(of: index) + 1
    attempts[index] = failed
    guard failed < Self.maximumAttempts else { return false }
    let bound = min(Self.maximumPauseMilliseconds, Self.basePauseMilliseconds << failed)
    paused.append((now + random(bound), index))
    return true
  }
}
