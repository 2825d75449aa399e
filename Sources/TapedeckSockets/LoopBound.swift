/// A value that belongs to a loop, in the hands of other threads, who can only have it used on that loop.
public final class LoopBound<Value>: @unchecked Sendable {
  // Owned by the loop's thread: read by jobs posted to the loop, and let go of by such a job.
  private let value: Value
  private let mailbox: LoopMailbox

  /// To be called on the loop's thread.
  public init(_ value: Value, on loop: EventLoop) {
    self.value = value
    mailbox = loop.mailbox
  }

  deinit {
    nonisolated(unsafe) let value = value
    mailbox.post { _ = value }
  }

  /// Has `body` run on the loop's thread; never, when the loop has stopped.
  public func post(_ body: @escaping @Sendable (Value) -> Void) {
    nonisolated(unsafe) let value = value
    mailbox.post { body(value) }
  }
}
