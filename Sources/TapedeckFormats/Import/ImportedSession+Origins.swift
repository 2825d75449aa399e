import TapedeckHTTP
package import TapedeckRecording

extension ImportedSession {
  /// The origins in the order they first appear, each with its number of exchanges.
  package var origins: [(origin: String, count: Int)] {
    var counts: [String: Int] = [:]
    for exchange in exchanges { counts[exchange.origin, default: 0] += 1 }
    var origins: [(origin: String, count: Int)] = []
    for exchange in exchanges {
      if let count = counts.removeValue(forKey: exchange.origin) { origins.append((exchange.origin, count)) }
    }
    return origins
  }

  /// The origin with the most exchanges; of equals, the first.
  package var chiefOrigin: String? {
    let origins = origins.filter { !$0.origin.isEmpty }
    let most = origins.map(\.count).max()
    return origins.first { $0.count == most }?.origin
  }

  /// Keeps the exchanges with wanted origins.
  package mutating func keepOnly(_ filter: inout HostFilter) {
    exchanges.removeAll { !filter.matches($0.origin) }
  }

  /// Where several origins responded to one request, keeps the responses of one, since a cassette stands for one: the
  /// origin with the most exchanges if it is among them, else the first.
  package mutating func settleOrigins(by matcher: RequestMatcher) {
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
      note(
        .skipped,
        "\(count == 1 ? "an exchange" : "\(count) exchanges") left out, since \(owner) answered the same "
          + "requests; --only HOST chooses", origin)
    }
  }
}

/// Which origins are wanted, by what people call them: a host, a host with its port, or an origin.
package struct HostFilter {
  private let hosts: [String]
  private let wanted: [String]
  private var met: Set<String> = []

  /// - Parameter hosts: if empty, every origin is wanted.
  package init(_ hosts: [String]) {
    self.hosts = hosts
    wanted = hosts.map { host in
      var name = String(decoding: host.utf8.map(ASCII.lowercased), as: UTF8.self)
      while name.hasSuffix("/") { name.removeLast() }
      return name
    }
  }

  package mutating func matches(_ origin: String) -> Bool {
    let names = Self.names(of: origin)
    let found = wanted.filter(names.contains)
    met.formUnion(found)
    return hosts.isEmpty || !found.isEmpty
  }

  /// Hosts that have matched no origin so far.
  package var unmet: [String] { zip(hosts, wanted).filter { !met.contains($0.1) }.map(\.0) }

  /// What an origin may be called: `https://api.example.com:8443`, `api.example.com:8443`, `api.example.com`.
  private static func names(of origin: String) -> [String] {
    guard let scheme = origin.firstRange(of: "://") else { return [origin] }
    let authority = origin[scheme.upperBound...]
    let digits = authority.reversed().prefix { $0.isASCII && $0.isNumber }.count
    let bare = authority.dropLast(digits)
    let host = digits > 0 && bare.hasSuffix(":") ? bare.dropLast() : authority
    return [origin, String(authority), String(host)]
  }
}
