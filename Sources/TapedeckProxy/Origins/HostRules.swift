internal import TapedeckHTTP

/// What a forward proxy does for a host: a pure decision over names. Where a name leads is checked when it is connected
/// to (`ProhibitedAddresses`).
struct HostRules: Sendable {
  enum Verdict: Equatable {
    /// Its traffic is read.
    case intercepted
    /// Its traffic passes unread while origins may be asked.
    case outside
    /// It is never served; the text says why.
    case prohibited(String)
  }

  private let allowed: [HostPattern]
  private let ignored: [HostPattern]
  /// Whether hosts that are not allowed are refused, as where other machines reach the listener.
  private let isClosed: Bool

  init(_ forward: ForwardProxy, isLoopback: Bool) {
    allowed = forward.allowedHosts.compactMap { HostPattern($0) }
    ignored = forward.ignoredHosts.compactMap { HostPattern($0) }
    isClosed = !isLoopback
  }

  /// Names and addresses at which clouds give credentials to whoever asks from inside.
  private static let metadata: Set<String> = [
    "metadata", "metadata.google.internal", "metadata.goog", "instance-data", "169.254.169.254",
    "100.100.100.200", "168.63.129.16", "192.0.0.192", "[fd00:ec2::254]", "[fd20:ce::254]",
  ]

  func verdict(on origin: HTTPOrigin) -> Verdict {
    let host = origin.host
    if Self.isReserved(host), !isAllowedByName(origin) {
      return .prohibited(
        "\(host) is a link-local address or a cloud's metadata service, which is served only where --allow-hosts names it"
      )
    }
    guard allowed.isEmpty || allowed.contains(where: { $0.matches(origin) }) else {
      return isClosed ? .prohibited("\(host) is not among --allow-hosts") : .outside
    }
    return ignored.contains { $0.matches(origin) } ? .outside : .intercepted
  }

  /// Whether a host is named that may lead where other machines have no business: then `ProhibitedAddresses` let it be.
  func isAllowedByName(_ origin: HTTPOrigin) -> Bool {
    allowed.contains { $0.isExact && $0.matches(origin) }
  }

  private static func isReserved(_ host: String) -> Bool {
    let name = host.hasSuffix(".") ? String(host.dropLast()) : host
    return metadata.contains(name) || name.hasPrefix("169.254.") || name.hasPrefix("[fe8")
      || name.hasPrefix("[fe9")
      || name.hasPrefix("[fea") || name.hasPrefix("[feb")
  }
}
