internal import Synchronization
internal import TapedeckUpstream

/// Tells of each kind of fault in the origin's responses that is put right, once a run.
final class ToleratedFaults: Sendable {
  private let told = Mutex<Set<ToleratedFault>>([])
  private let origin: String
  private let notice: @Sendable (String) -> Void

  init(of origin: UpstreamOrigin, notice: @escaping @Sendable (String) -> Void) {
    self.origin = "\(origin)"
    self.notice = notice
  }

  func note(_ fault: ToleratedFault) {
    guard told.withLock({ $0.insert(fault).inserted }) else { return }
    notice("\(origin) sent \(fault); it is put right for clients")
  }
}
