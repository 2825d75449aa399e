public import TapedeckRecording

extension ImportedSession {
  /// Leaves the exchanges with wanted origins and drops the others.
  public mutating func keepOnly(_ filter: inout HostFilter) {
    exchanges.removeAll { !filter.takes($0.origin) }
  }

  /// Where one request was answered by several origins, leaves the answers of one, since a cassette stands for one:
  /// the origin with the most exchanges if it is among them, else the one that was asked first.
  public mutating func settleOrigins(by matcher: RequestMatcher) {
    guard origins.count > 1 else { return }
    let chief = chiefOrigin ?? ""
    let keys = exchanges.map { matcher.key(for: $0.interaction.request) }
    var owners: [MatchKey: String] = [:]
    for (key, exchange) in zip(keys, exchanges) where owners[key] == nil || exchange.origin == chief {
      owners[key] = exchange.origin
    }
    var kept: [ImportedExchange] = []
    var dropped: [String: (owner: String, count: Int)] = [:]
    for (key, exchange) in zip(keys, exchanges) {
      if let owner = owners[key], owner != exchange.origin {
        dropped[exchange.origin, default: (owner, 0)].count += 1
      } else {
        kept.append(exchange)
      }
    }
    exchanges = kept
    for (origin, (owner, count)) in dropped.sorted(by: { $0.key < $1.key }) {
      notes.append(
        ImportNote(
          severity: .skipped, file: origin, entry: "",
          problem:
            "\(count == 1 ? "an exchange" : "\(count) exchanges") left out, since \(owner) answered the "
            + "same requests; --only HOST chooses"))
    }
  }
}
