extension ImportedSession {
  /// Leaves the exchanges with some hosts and drops the others.
  /// - Parameter hosts: each a host, a host with its port, or an origin.
  /// - Returns: those of the hosts that no exchange was with.
  public mutating func keepOnly(_ hosts: [String]) -> [String] {
    guard !hosts.isEmpty else { return [] }
    let wanted = hosts.map { host in
      var name = Self.lowercased(host)
      while name.hasSuffix("/") { name.removeLast() }
      return name
    }
    var met: Set<String> = []
    exchanges.removeAll { exchange in
      let names = Self.names(of: exchange.origin)
      let found = wanted.filter(names.contains)
      met.formUnion(found)
      return found.isEmpty
    }
    return zip(hosts, wanted).filter { !met.contains($0.1) }.map(\.0)
  }

  /// What an origin may be called: `https://api.example.com:8443`, `api.example.com:8443`, `api.example.com`.
  private static func names(of origin: String) -> [String] {
    guard let scheme = origin.firstRange(of: "://") else { return [origin] }
    let authority = origin[scheme.upperBound...]
    let digits = authority.reversed().prefix { $0.isASCII && $0.isNumber }.count
    let bare = authority.dropLast(digits)
    let host = digits > 0 && bare.hasSuffix(":") ? bare.dropLast() : authority
    return [origin, String(authority), String(host)]
  }

  private static func lowercased(_ text: String) -> String {
    String(decoding: text.utf8.map(Bytes.lowercased), as: UTF8.self)
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
