internal import Glibc

/// The way to the origin, where it is not the direct one.
public struct UpstreamRoute: Sendable {
  public enum Proxy: Sendable, Equatable {
    /// Connects directly, whatever the environment says.
    case none
    /// What `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` say.
    case environment
    /// A URL, which may hold a password.
    case url(String)
  }

  public var proxy = Proxy.none
  /// Addresses for host names, as curl's `--resolve` takes them.
  public var resolve: [String] = []

  public init() {}

  private static let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

  /// - Parameters:
  ///   - proxy: `env`, or the URL of a proxy.
  ///   - resolve: `HOST:PORT:ADDRESS`, with further addresses behind commas.
  ///   - isOnly: whether there is no other origin that an entry could be about.
  public init(
    to origin: UpstreamOrigin, proxy: String?, resolve: [String], isOnly: Bool = true
  ) throws(UpstreamURLError) {
    if let proxy { self.proxy = try Self.proxy(proxy) }
    for entry in resolve {
      if try Self.isAbout(origin, entry) {
        self.resolve.append(entry)
      } else if isOnly {
        throw .resolvesAnother(entry, than: "\(origin.host):\(origin.port)")
      }
    }
  }

  private static func proxy(_ text: String) throws(UpstreamURLError) -> Proxy {
    if text == "env" { return .environment }
    guard let colon = text.firstIndex(of: ":"), schemes.contains(text[..<colon].lowercased()),
      text[colon...].hasPrefix("://"), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else { throw .badProxy }
    let authority = text[colon...].dropFirst(3).prefix { $0 != "/" }
    guard let host = authority.split(separator: "@", omittingEmptySubsequences: false).last, !host.isEmpty,
      host.first != ":"
    else { throw .badProxy }
    return .url(text)
  }

  private static func isAbout(_ origin: UpstreamOrigin, _ entry: String) throws(UpstreamURLError) -> Bool {
    let parts = entry.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, let port = UInt16(parts[1]), port > 0 else {
      throw .badResolve(entry)
    }
    let addresses = parts[2].split(separator: ",", omittingEmptySubsequences: false)
    guard addresses.allSatisfy(isAddress) else { throw .badResolve(entry) }
    return (parts[0] == "*" || parts[0].lowercased() == origin.host) && port == origin.port
  }

  private static func isAddress(_ text: Substring) -> Bool {
    var bytes = in6_addr()
    if text.first == "[", text.last == "]" {
      return inet_pton(AF_INET6, String(text.dropFirst().dropLast()), &bytes) == 1
    }
    return inet_pton(AF_INET, String(text), &bytes) == 1
  }
}
