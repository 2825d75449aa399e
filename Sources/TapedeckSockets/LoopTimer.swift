/// One deadline that may be moved as often as one likes at no cost: the queue is touched only when it is due.
///
/// Belongs to the loop that made it, and is used on that loop's thread only.
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

/// A binary heap of the moments at which some timer wants a look. A timer whose deadline moved on in the meantime is
/// queued again; one that was cancelled is forgotten, at the latest when half of the heap is of that kind: clients come
/// and go faster than their deadlines.
final class TimerQueue {
  private struct Entry {
    var time: MonotonicTime
    var timer: LoopTimer
  }

  private var heap: [Entry] = []
  private var cancelled = 0

  var next: MonotonicTime? { heap.first?.time }

  func noteCancelled() {
    cancelled += 1
    guard cancelled > 64, cancelled > heap.count / 2 else { return }
    cancelled = 0
    forgetCancelled()
  }

  private func forgetCancelled() {
    var kept: [Entry] = []
    for entry in heap where entry.timer.queuedFor == entry.time {
      if entry.timer.deadline == nil { entry.timer.queuedFor = nil } else { kept.append(entry) }
    }
    heap = kept.sorted { $0.time < $1.time }
  }

  func push(_ timer: LoopTimer, at time: MonotonicTime) {
    timer.queuedFor = time
    heap.append(Entry(time: time, timer: timer))
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].time < heap[parent].time else { break }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  /// Fires every timer that is due at `now`. One that an action sets to a time gone by waits for the next turn.
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

  /// Forgets every timer: each holds the queue, and would keep it alive beyond its loop.
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
