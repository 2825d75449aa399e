internal import CSystem
internal import Glibc

/// The events that a handler waits for.
public struct Interest: OptionSet, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static let read = Interest(rawValue: UInt32(td_epoll_in))
  public static let write = Interest(rawValue: UInt32(td_epoll_out))
  /// Edge-triggered `read`: a handler that leaves bytes or the peer's end unread must call `change`. The
  /// kernel then checks the descriptor once per event instead of twice.
  public static let readEdge = Interest(rawValue: UInt32(td_epoll_in | td_epoll_read_end) | 1 << 31)
  /// Wakes only one of several loops that wait for the same descriptor.
  public static let exclusive = Interest(rawValue: 1 << 28)
}

/// The events of a descriptor.
public struct Readiness: Sendable {
  let bits: UInt32

  public var isReadable: Bool { bits & UInt32(td_epoll_in) != 0 }
  public var isWritable: Bool { bits & UInt32(td_epoll_out) != 0 }
  /// Nothing follows the bytes that can be read. Reported for `readEdge` only.
  public var isLast: Bool { bits & UInt32(td_epoll_read_end) != 0 }
  /// The connection has ended in both directions.
  public var isBroken: Bool { bits & UInt32(td_epoll_error | td_epoll_hang_up) != 0 }
}

/// Handles the events of a descriptor, on the loop's thread.
public protocol EventHandler: AnyObject {
  func descriptorReady(_ readiness: Readiness)
}

/// Waits for the kernel's events on one thread: epoll, timers and a mailbox.
///
/// Promises: a removed handler is never called, even for an event already fetched (slots carry a generation);
/// moving a timer is cheap; the loop sleeps when idle. Only `mailbox` may be used from other threads.
public final class EventLoop {
  /// A descriptor's place in the loop's table.
  public struct Registration: Sendable {
    fileprivate let index: UInt32
    fileprivate let generation: UInt32
    fileprivate let descriptor: Int32
    fileprivate var bits: UInt64 { UInt64(generation) << 32 | UInt64(index) }
  }

  private struct Slot {
    var generation: UInt32 = 0
    var handler: (any EventHandler)?
  }

  private let epoll: Int32
  private let timers = TimerQueue()
  private var slots: [Slot] = [Slot()]
  private var freeSlots: [UInt32] = []
  private var jobs: [() -> Void] = []
  private var turnEndActions: [() -> Void] = []
  private var isStopping = false
  public let mailbox: LoopMailbox
  /// The time at the start of this turn.
  public var now: MonotonicTime { turnStart }
  // A single word, read and written at once, so accesses cannot overlap.
  @exclusivity(unchecked) private var turnStart = MonotonicTime.now

  public init() throws(SocketError) {
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard epoll >= 0 else { throw SocketError("epoll_create1") }
    mailbox = try LoopMailbox()
    // Slot 0 is the mailbox: it has no handler, and its bits are zero.
    var event = epoll_event()
    event.events = Interest.read.rawValue
    guard epoll_ctl(epoll, EPOLL_CTL_ADD, mailbox.wakeDescriptor, &event) == 0 else {
      throw SocketError("epoll_ctl add")
    }
  }

  deinit {
    timers.removeAll()
    close(epoll)
  }

  public func add(
    _ descriptor: Int32, _ interest: Interest, handler: any EventHandler
  ) throws(SocketError) -> Registration {
    let index = freeSlots.popLast() ?? appendSlot()
    let registration = Registration(
      index: index, generation: slots[Int(index)].generation, descriptor: descriptor)
    guard control(EPOLL_CTL_ADD, registration, interest) == 0 else {
      freeSlots.append(index)
      throw SocketError("epoll_ctl add")
    }
    slots[Int(index)].handler = handler
    return registration
  }

  private func appendSlot() -> UInt32 {
    slots.append(Slot())
    return UInt32(slots.count - 1)
  }

  public func change(_ registration: Registration, _ interest: Interest) {
    _ = control(EPOLL_CTL_MOD, registration, interest)
  }

  /// Forgets the descriptor, which may already be closed.
  public func remove(_ registration: Registration) {
    let index = Int(registration.index)
    guard slots[index].generation == registration.generation, slots[index].handler != nil else { return }
    _ = control(EPOLL_CTL_DEL, registration, [])
    slots[index].handler = nil
    slots[index].generation &+= 1
    freeSlots.append(registration.index)
  }

  private func control(_ operation: Int32, _ registration: Registration, _ interest: Interest) -> Int32 {
    var event = epoll_event()
    event.events = interest.rawValue
    event.data.u64 = registration.bits
    return epoll_ctl(epoll, operation, registration.descriptor, &event)
  }

  public func makeTimer(_ action: @escaping () -> Void) -> LoopTimer {
    LoopTimer(queue: timers, action: action)
  }

  /// Runs `job` once at the end of this turn, before the actions of every turn. Must be called within a turn.
  public func atTurnEnd(_ job: @escaping () -> Void) { jobs.append(job) }

  /// Runs `action` at the end of every turn, before the loop waits again.
  public func atEveryTurnEnd(_ action: @escaping () -> Void) { turnEndActions.append(action) }

  /// Runs until `stop()`; the loop cannot run again.
  public func run() {
    withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 256) { events in
      while !isStopping { turn(events) }
    }
    // Timers still set never fire, and would retain the loop's owners.
    timers.removeAll()
  }

  public func stop() { isStopping = true }

  private func turn(_ events: UnsafeMutableBufferPointer<epoll_event>) {
    let count = epoll_wait(epoll, events.baseAddress, Int32(events.count), waitMilliseconds())
    turnStart = .now
    var hasMail = false
    for event in events.prefix(Int(max(0, count))) {
      let bits = event.data.u64
      if bits == 0 { hasMail = true } else { dispatch(bits, Readiness(bits: event.events)) }
    }
    if hasMail { for job in mailbox.takeAll() { job() } }
    timers.fire(now: now)
    repeat {
      runJobs()
      for action in turnEndActions { action() }
    } while !jobs.isEmpty
  }

  private func runJobs() {
    while !jobs.isEmpty {
      let due = jobs
      jobs.removeAll(keepingCapacity: true)
      for job in due { job() }
    }
  }

  private func dispatch(_ bits: UInt64, _ readiness: Readiness) {
    let slot = slots[Int(bits & 0xFFFF_FFFF)]
    guard slot.generation == UInt32(bits >> 32) else { return }
    slot.handler?.descriptorReady(readiness)
  }

  /// Rounded up, so that a timer is due after the wait. The time that this turn took is left out of account where it
  /// does not matter, because the clock is slow.
  private func waitMilliseconds() -> Int32 {
    guard let next = timers.next else { return -1 }
    var wait = next.nanoseconds(since: turnStart)
    if wait < 100_000_000 { wait = next.nanoseconds(since: .now) }
    return wait <= 0 ? 0 : Int32(clamping: (wait + 999_999) / 1_000_000)
  }
}
