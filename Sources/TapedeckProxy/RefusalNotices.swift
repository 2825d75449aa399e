internal import Synchronization

/// Tells why requests were refused, each reason once, where no log tells it.
final class RefusalNotices: Sendable {
  private static let maximumTold = 32

  private let notice: @Sendable (String) -> Void
  private let told = Mutex<Set<String>>([])

  init(_ notice: @escaping @Sendable (String) -> Void) { self.notice = notice }

  func tell(_ reason: String) {
    let isNew = told.withLock { told in told.count < Self.maximumTold && told.insert(reason).inserted }
    if isNew { notice(reason) }
  }
}
