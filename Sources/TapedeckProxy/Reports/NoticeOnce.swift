internal import Synchronization

/// Tells each notice once, and at most so many different ones.
final class NoticeOnce: Sendable {
  private static let maximumTold = 32

  private let notice: @Sendable (String) -> Void
  private let told = Mutex<Set<String>>([])

  init(_ notice: @escaping @Sendable (String) -> Void) { self.notice = notice }

  func tell(_ text: String) {
    let isNew = told.withLock { told in told.count < Self.maximumTold && told.insert(text).inserted }
    if isNew { notice(text) }
  }
}
