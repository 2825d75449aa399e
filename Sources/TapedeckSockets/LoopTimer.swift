/// A deadline that is cheap to move: the queue changes only when it is due. Used on its loop's thread only.
public final class LoopTimer {
  private let queue: TimerQueue
  let action: () -> Void
  fileprivate(set) var deadline: MonotonicTime?
  fileprivate var queuedFor: MonotonicTime?

  init(queue: TimerQueue, action: @escaping () -> Void) {
    self.queue = queue
    self.action = action
  }

  public var isSet: Bool { deadline != nil }

  /// Fires once at `deadline`, unless it is moved or cancelled before.
  public func set(_ deadline: MonotonicTime) {
    self.deadline = deadline
    if let queuedFor, queuedFor <= deadline { return }
    queue.push(self, at: deadline)
  }

  public func cancel() {
    guard deadline != nil else { return }
    deadline = nil
    queue.noteCancelled()
  }
}

/// A binary heap of the times at which timers are checked. Timers whose deadline has moved are queued again.
/// Cancelled ones are removed once they fill half of the heap, because clients come and go faster.
final class TimerQueue {
  private var heap: [(time: MonotonicTime, timer: LoopTimer)] = []
  private var cancelled = 0

  var next: MonotonicTime? { heap.first?.time }

  func noteCancelled() {
    cancelled += 1
    guard cancelled > 64, cancelled > heap.count / 2 else { return }
    cancelled = 0
    forgetCancelled()
  }

  private func forgetCancelled() {
    heap.removeAll { entry in
      guard entry.timer.queuedFor == entry.time else { return true }
      if entry.timer.deadline == nil { entry.timer.queuedFor = nil }
      return entry.timer.deadline == nil
    }
    heap.sort { $0.time < $1.time }
  }

  func push(_ timer: LoopTimer, at time: MonotonicTime) {
    timer.queuedFor = time
    heap.append((time, timer))
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].time < heap[parent].time else { break }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  /// Fires every timer that is due. A timer that an action sets to a past time waits for the next turn.
  func fire(now: MonotonicTime) {
    var due: [LoopTimer] = []
    while let first = heap.first, first.time <= now {
      removeFirst()
      let timer = first.timer
      guard timer.queuedFor == first.time else { continue }
      timer.queuedFor = nil
      guard let deadline = timer.deadline else { continue }
      if deadline > now { push(timer, at: deadline) } else { due.append(timer) }
    }
    for timer in due {
      guard let deadline = timer.deadline, deadline <= now, timer.queuedFor == nil else { continue }
      timer.deadline = nil
      timer.action()
    }
  }

  /// Removes every timer, because each retains the queue.
  func removeAll() { heap = [] }

  private func removeFirst() {
    let last = heap.removeLast()
    guard !heap.isEmpty else { return }
    heap[0] = last
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < heap.count && heap[child].time < heap[least].time { least = child }
      guard least != parent else { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
