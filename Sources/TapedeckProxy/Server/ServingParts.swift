internal import TapedeckHTTP
internal import TapedeckSockets
internal import TapedeckUpstream

/// What the responders of all loops are made of.
struct ServingParts: Sendable {
  let configuration: ProxyConfiguration
  let slot: CassetteSlot
  let sessions: Sessions
  let statistics: ProxyStatistics
  let listener: ListenerNames
  let forward: ForwardPolicy?
  /// The only origin; `nil` where there are several, or none.
  let upstream: UpstreamOrigin?
  let patterns: [UpstreamPattern]
  private let refusals: NoticeOnce
  private let tolerated: NoticeOnce

  init(
    configuration: ProxyConfiguration, slot: CassetteSlot, sessions: Sessions, statistics: ProxyStatistics,
    listener: ListenerNames, forward: ForwardPolicy?, upstream: UpstreamOrigin?, patterns: [UpstreamPattern]
  ) {
    (self.configuration, self.slot, self.sessions, self.statistics) = (
      configuration, slot, sessions, statistics
    )
    (self.listener, self.forward, self.upstream, self.patterns) = (listener, forward, upstream, patterns)
    refusals = NoticeOnce(configuration.notice)
    tolerated = NoticeOnce(configuration.notice)
  }

  /// The front of one loop's chain.
  @Sendable func makeResponder(_ loop: EventLoop) throws -> any Responder {
    let origins = try configuration.asksOrigins ? OriginClients(upstream, loop: loop, configure: reach) : nil
    let cassette = LoopCache(slot)
    let chains = SessionChains(
      sessions, ChainParts(configuration: configuration, cassette: cassette, origins: origins, loop: loop))
    return ProxyResponder(
      configuration,
      policy: RequestPolicy(
        cassette: cassette, listener: listener, forward: forward, namesOptions: configuration.verb != nil),
      sessions: chains, cassette: cassette, origins: origins, refusals: refusals)
  }

  /// How an origin is reached: one that the user names wherever it leads, any other one not where only this machine
  /// should reach.
  private func reach(_ origin: UpstreamOrigin) throws -> UpstreamConfiguration {
    var settings = try configuration.upstreamConfiguration(for: origin)
    settings.onConnectionOpened = { [statistics] in statistics.count(\.upstreamConnections) }
    settings.onToleratedFault = { [tolerated] fault in
      tolerated.tell("\(origin) sent \(fault); it is put right for clients")
    }
    guard let forward else { return settings }
    settings.prohibited.ownPorts = listener.ownPorts
    let isNamed =
      patterns.contains { $0.origin == origin }
      || origin.origin.map(forward.isAllowedByName) ?? false
    settings.prohibited.includesLinkLocal = !isNamed
    settings.prohibited.includesLoopback = !isNamed && !listener.isLoopback
    return settings
  }
}
