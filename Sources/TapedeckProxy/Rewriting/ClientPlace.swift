internal import TapedeckHTTP

/// Where clients find one of several origins.
struct ClientPlace: Sendable {
  enum Host: Equatable {
    /// Every host leads there, as with a path prefix.
    case every
    /// Every host but those that lead to other origins.
    case rest
    case named(AuthorityName)
    /// A client that names origins uses their own names.
    case exactly(String)
  }

  var host = Host.every
  /// The path prefix that clients put before the origin's paths: empty, or like `/auth`.
  var prefix = ""
  /// The hosts that lead to one origin each.
  var namedHosts: [AuthorityName] = []
  /// The host of the listener, which leads to none of these.
  var listenerHost = "localhost"

  /// The authority for a client that reached us as `proxy`; `nil` where that cannot be known.
  func authority(_ proxy: String) -> String? {
    switch host {
    case .every: proxy
    case .rest: leadsElsewhere(proxy) ? listenerHost + Self.port(proxy) : proxy
    case .named(let name) where name.port == nil: proxy.isEmpty ? nil : name.host + Self.port(proxy)
    case .named(let name): name.description
    case .exactly(let authority): authority
    }
  }

  /// Whether `authority` is a name by which a client that reached us as `proxy` finds the origin, below `prefix`.
  func isFound(at authority: String, proxy: String) -> Bool {
    switch host {
    case .every, .rest:
      authority == proxy || authority == listenerHost + Self.port(proxy)
        || leadsElsewhere(authority) && Self.port(authority) == Self.port(proxy)
    case .named, .exactly: authority == self.authority(proxy)
    }
  }

  /// Whether a path, with what follows it, lies below `prefix`.
  func isAbove(_ path: some Collection<UInt8>) -> Bool {
    guard path.starts(with: prefix.utf8) else { return false }
    return path.dropFirst(prefix.utf8.count).first.map { "/?#".utf8.contains($0) } ?? true
  }

  /// Whether only one host leads there.
  var isNamed: Bool {
    switch host {
    case .every, .rest: false
    case .named, .exactly: true
    }
  }

  /// Of two places that fit, the more specific one holds.
  var specificity: Int {
    switch host {
    case .every: 2 + prefix.utf8.count
    case .named, .exactly: 1
    case .rest: 0
    }
  }

  private func leadsElsewhere(_ authority: String) -> Bool {
    !namedHosts.isEmpty && namedHosts.contains { $0.isName(in: AuthorityName(Array(authority.utf8))) }
  }

  /// `:8080`, or nothing.
  private static func port(_ authority: String) -> Substring {
    let start = authority.lastIndex(of: "]") ?? authority.startIndex
    return authority[start...].firstIndex(of: ":").map { authority[$0...] } ?? ""
  }
}
