internal import Synchronization
internal import TapedeckHTTP

/// Counts the exchanges of a run by endpoint: by method and path, where numbers and UUIDs are parameters.
final class EndpointCounts: Sendable {
  struct Endpoint: Equatable {
    /// As in `GET /users/{id}`.
    let name: String
    var count = 0
    /// In the order of their first occurrence.
    var statuses: [Int] = []
    var nanoseconds: Int64 = 0
  }

  private struct Counts {
    var endpoints: [String: Endpoint] = [:]
    var others = 0
  }

  /// Of further endpoints only the requests are counted, all together.
  static let maximumEndpoints = 1000
  private let counts = Mutex(Counts())

  func add(_ exchange: ExchangeSummary) {
    let name = "\(exchange.method) \(Self.pattern(RequestTarget.text(exchange.target)))"
    counts.withLock { counts in
      guard counts.endpoints[name] != nil || counts.endpoints.count < Self.maximumEndpoints else {
        counts.others += 1
        return
      }
      var endpoint = counts.endpoints[name] ?? Endpoint(name: name)
      endpoint.count += 1
      if !endpoint.statuses.contains(exchange.status) { endpoint.statuses.append(exchange.status) }
      endpoint.nanoseconds += exchange.durationNanoseconds
      counts.endpoints[name] = endpoint
    }
  }

  /// The most frequent first.
  var ordered: [Endpoint] {
    counts.withLock { Array($0.endpoints.values) }.sorted { ($1.count, $0.name) < ($0.count, $1.name) }
  }

  /// The requests of the endpoints that are not in `ordered`.
  var others: Int { counts.withLock { $0.others } }

  /// The target without its query, and with `{id}` for what names one of many.
  static func pattern(_ target: String) -> String {
    let path = target.prefix { $0 != "?" }
    return path.split(separator: "/", omittingEmptySubsequences: false).map { isIdentifier($0) ? "{id}" : $0 }
      .joined(separator: "/")
  }

  private static func isIdentifier(_ segment: Substring) -> Bool {
    guard let first = segment.utf8.first else { return false }
    let isNumber = ASCII.isDigit(first) && segment.utf8.allSatisfy(ASCII.isDigit)
    return isNumber
      || segment.utf8.count == 36 && segment.split(separator: "-").map(\.utf8.count) == [8, 4, 4, 4, 12]
  }
}
