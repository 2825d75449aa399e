internal import Synchronization
public import TapedeckHTTP

/// The failed exchanges of a run, grouped by request and cause. However many different ones come, only so many are
/// kept; the rest are counted.
final class FailureLedger: Sendable {
  static let maximumGroups = 100

  private struct Group: Hashable {
    let method: String
    let target: String
    let cause: String
  }

  private struct State {
    var groups: [Group: FailedExchange] = [:]
    var order: [Group] = []
    var others = 0
  }

  private let state = Mutex(State())

  func add(_ failure: ExchangeFailure, method: String, target: String) {
    let group = Group(method: method, target: target, cause: failure.cause)
    state.withLock { state in
      if state.groups[group] != nil {
        state.groups[group]?.count += 1
      } else if state.order.count < Self.maximumGroups {
        state.order.append(group)
        state.groups[group] = FailedExchange(method: method, target: target, failure: failure, count: 1)
      } else {
        state.others += 1
      }
    }
  }

  /// In the order they first came, and how many exchanges are in none of them.
  var groups: (listed: [FailedExchange], others: Int) {
    state.withLock { state in (state.order.compactMap { state.groups[$0] }, state.others) }
  }
}

/// Exchanges with the origin that failed alike.
public struct FailedExchange: Sendable, Equatable {
  public var method: String
  /// Path and query, without secrets.
  public var target: String
  /// Of the first of them.
  public var failure: ExchangeFailure
  public var count: Int

  public init(method: String, target: String, failure: ExchangeFailure, count: Int) {
    self.method = method
    self.target = target
    self.failure = failure
    self.count = count
  }
}
