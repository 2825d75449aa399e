import TapedeckHTTP

/// Which origins are wanted, by what people call them: a host, a host with its port, or an origin.
public struct HostFilter {
  private let hosts: [String]
  private let wanted: [String]
  private var met: Set<String> = []

  /// - Parameter hosts: none wants every origin.
  public init(_ hosts: [String]) {
    self.hosts = hosts
    wanted = hosts.map { host in
      var name = String(decoding: host.utf8.map(ASCII.lowercased), as: UTF8.self)
      while name.hasSuffix("/") { name.removeLast() }
      return name
    }
  }

  public mutating func takes(_ origin: String) -> Bool {
    let names = Self.names(of: origin)
    let found = wanted.filter(names.contains)
    met.formUnion(found)
    return hosts.isEmpty || !found.isEmpty
  }

  /// Hosts that no origin so far was.
  public var unmet: [String] { zip(hosts, wanted).filter { !met.contains($0.1) }.map(\.0) }

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
