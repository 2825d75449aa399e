internal import Synchronization

/// A run of an interception: the task-local value, and the number by which `URLSession.shared` tells it from others.
///
/// Foundation asks a protocol class whether it takes a request on the thread that resumes the task, where task-local
/// values are visible, but makes and starts the instance on another. Only the class passes from one to the other. So
/// there is a class for each number, the shared session's list has all of them, and only the class with a run's number
/// takes its requests.
struct InterceptionScope: Sendable {
  let interception: Interception
  /// `nil` when all numbers were taken.
  let number: Int?

  static let count = 4096
  private static let table = Mutex(ScopeTable(count: count))

  static func enter(_ interception: Interception) -> InterceptionScope {
    Server.enableScopes()
    return InterceptionScope(
      interception: interception, number: table.withLock { $0.take(for: interception) })
  }

  func leave() {
    guard let number else { return }
    Self.table.withLock { $0.release(number) }
  }

  /// Whether requests may still be taken for it. If so, the number is kept until one has started.
  func mayStart() -> Bool {
    guard let number else { return false }
    return Self.table.withLock { $0.retain(number, for: interception) }
  }

  /// The interception of a number, for a request that was taken and now starts.
  static func started(_ number: Int) -> Interception? {
    table.withLock { table in
      defer { table.release(number) }
      return table.interceptions[number]
    }
  }
}

/// The interception of each number. A number is free again when its run is over and all requests taken for it have
/// started.
private struct ScopeTable {
  private(set) var interceptions: [Interception?]
  private var uses: [Int]
  private var free: [Int]

  init(count: Int) {
    interceptions = Array(repeating: nil, count: count)
    uses = Array(repeating: 0, count: count)
    free = Array((0..<count).reversed())
  }

  mutating func take(for interception: Interception) -> Int? {
    guard let number = free.popLast() else { return nil }
    interceptions[number] = interception
    uses[number] = 1
    return number
  }

  mutating func retain(_ number: Int, for interception: Interception) -> Bool {
    guard interceptions[number] === interception else { return false }
    uses[number] += 1
    return true
  }

  mutating func release(_ number: Int) {
    guard uses[number] > 0 else { return }
    uses[number] -= 1
    guard uses[number] == 0 else { return }
    interceptions[number] = nil
    free.append(number)
  }
}
