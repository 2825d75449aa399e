internal import Synchronization

/// One run of an interception: its task-local value, and a number that identifies it to `URLSession.shared`.
///
/// Foundation calls `canInit` of a protocol class on the thread that resumes the task, where task-local
/// values are visible, but creates and starts the instance on another thread. Only the class passes from one
/// to the other. So there is a class for each number, the shared session lists them all, and only the class
/// with a run's number accepts its requests.
struct InterceptionScope: Sendable {
  let interception: Interception
  /// `nil` when all numbers were in use.
  let number: Int?

  static let count = 4096

  /// The interception and use count of each number. A run uses its number, and so does a request that was
  /// accepted but has not started. A number without uses is free.
  private static let table = Mutex(
    (
      interceptions: [Interception?](repeating: nil, count: count), uses: [Int](repeating: 0, count: count),
      free: Array((0..<count).reversed())
    ))

  static func enter(_ interception: Interception) -> InterceptionScope {
    Server.enableScopes()
    let number = table.withLock { table in
      let number = table.free.popLast()
      if let number { (table.interceptions[number], table.uses[number]) = (interception, 1) }
      return number
    }
    return InterceptionScope(interception: interception, number: number)
  }

  func leave() {
    if let number { _ = Self.release(number) }
  }

  /// Whether requests may still be accepted. If so, the number stays in use until one has started.
  func mayStart() -> Bool {
    guard let number else { return false }
    return Self.table.withLock { table in
      guard table.interceptions[number] === interception else { return false }
      table.uses[number] += 1
      return true
    }
  }

  /// The interception of a number, for an accepted request that starts now.
  static func started(_ number: Int) -> Interception? { release(number) }

  private static func release(_ number: Int) -> Interception? {
    table.withLock { table in
      guard table.uses[number] > 0 else { return nil }
      let interception = table.interceptions[number]
      table.uses[number] -= 1
      if table.uses[number] == 0 {
        table.interceptions[number] = nil
        table.free.append(number)
      }
      return interception
    }
  }
}
