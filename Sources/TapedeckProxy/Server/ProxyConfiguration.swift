internal import TapedeckHTTP
public import TapedeckMocking
public import TapedeckOverrides
public import TapedeckRecording
public import TapedeckRedaction
internal import TapedeckSockets
internal import TapedeckUpstream

/// Everything a proxy is told at its start.
public struct ProxyConfiguration: Sendable {
  /// `HOST:PORT`; port 0 picks a free one.
  public var listen: String
  /// A PEM file of the certificate, with its chain, by which the listener speaks TLS beside plain HTTP.
  public var tlsCertificate: String?
  /// A PEM file of the private key of `tlsCertificate`, unless that holds it too.
  public var tlsKey: String?
  /// The authority that makes certificates for the names that clients of the listener ask for.
  package var authority: AuthorityPEM?
  /// Event loops; by default one for each core this process may run on.
  public var threads = EventLoopThread.usableCores
  /// The origin, as a URL; `nil` where none is ever asked.
  public var upstream: String?
  /// Several origins, each as `URL`, `/PREFIX=URL` for requests below a path, or `HOST=URL` for those with that `Host`;
  /// they share a cassette that says of each interaction where it comes from. The longest prefix wins, and is removed
  /// before the path of the URL is put in its place; `upstream` takes the rest, if it is there.
  public var upstreams: [String] = []
  /// How clients that name the origin themselves are served, over HTTPS too; `nil` for a reverse proxy only. They have to
  /// trust `ProxyServer.authorityCertificate`, which is made for each run and never stored.
  public var forward: ForwardProxy?
  /// The folder of the cassette.
  public var cassette: String?
  /// The place in an object store that the folder is a copy of; `nil` for a cassette of its own.
  package var cassettePlace: String?
  /// The record mode.
  public var mode: RecordMode
  /// What of a request is compared, instead of what the cassette says or in addition; a recording keeps it for later.
  public var match: MatchSpec?
  /// What to hide beside what the cassette or the default list says; a recording keeps it for later.
  public var redaction = RedactionChoice()
  /// What becomes of secrets that redaction leaves in a recording.
  public var secrets = SecretPolicy.tell
  /// What a finished exchange survives before the cassette is sealed.
  public var durability = Durability.process
  /// What the k+1-th request gets when k responses were recorded.
  public var onExhausted = ExhaustionPolicy.repeatLast
  /// How much clients may take, and how long.
  public var clients = ClientLimits()
  /// How fast recorded responses are sent.
  public var pace = ReplayPace.instant
  /// What becomes of a replayed stream where the client left it when it was recorded.
  public var onCut = CutPolicy.open
  /// Whether every response says in a field of its own where it comes from.
  public var explains = false
  /// The status of a refusal.
  public var missStatus = 502
  /// A PEM file of authorities to trust for the origin, instead of the system's.
  public var caCertificate: String?
  /// Whether the certificate of the origin is verified.
  public var verifiesTLS = true
  /// Whether the client's `Host` is sent to the origin.
  public var preservesHost = false
  /// Whether the client's `Accept-Encoding` is sent to the origin as it is.
  public var passesEncodings = false
  /// A PEM file of the certificate by which the origin knows us, and of its private key unless `clientKey` names it.
  public var clientCertificate: String?
  /// The origin that gets `clientCertificate`, as a URL without a path; `nil` for the only one.
  public var clientCertificateOrigin: String?
  /// A PEM file of the private key of `clientCertificate`.
  public var clientKey: String?
  /// Fields that origins get with every request, such as credentials that the client need not know. Where there are
  /// several origins, each field names its own.
  public var upstreamFields: [UpstreamField] = []
  /// The proxy through which the origin is reached: a URL, or `env` for what `http_proxy` and its kin name.
  public var upstreamProxy: String?
  /// Addresses for the name of the origin, as `HOST:PORT:ADDRESS`.
  public var resolve: [String] = []
  /// How long the origin may take to be reached: name lookup, TCP and TLS together.
  public var connectTimeoutMilliseconds = 10_000
  /// From sending the request to the whole head of the response.
  public var firstByteTimeoutMilliseconds = 60_000
  /// Between two pieces of a response's body; event streams may rest.
  public var readTimeoutMilliseconds = 60_000
  /// Exchanges with the origin at once, on each loop; more wait for their turn as long as for a connection.
  public var maxUpstreamConnectionsPerThread = 512
  /// Responses with a larger body pass, but are not recorded.
  public var maxRecordedBodyBytes = 1 << 30
  /// What of responses that name the origin comes to name us, instead of what the cassette says or in addition; a
  /// recording keeps it for later.
  public var rewriting = RewriteChoice()
  /// Routes of the program's own, which go before recordings and the origin.
  public var router: Router
  /// Overrides declared in JSON, which go before all else.
  public var overrides: Overrides
  /// A file whose rules are among them, and are read anew whenever it is saved.
  public var overridesFile: String?
  /// How requests say which session they belong to; `nil` where all belong to one.
  public var sessionSelector: SessionSelector?
  /// A session is dropped when it has had no request for so long.
  public var sessionIdleMilliseconds = 600_000
  /// Sessions at once; the first request of one more is refused.
  public var maxSessions = 10_000
  /// What the request log of a session may take in memory; the logs of all sessions take four times as much at most.
  /// None is kept where it is 0.
  public var requestLogBytes = 16 << 20
  /// The path of health probes, which are neither recorded nor forwarded nor counted; `nil` where there are none.
  package var healthPath: String?
  /// The verb of the command that runs, so that refusals and misses may name its options; nil in a program of the
  /// user's own.
  public var verb: String?
  /// The live log; `nil` for none.
  public var log: ExchangeLog?
  /// Told in a sentence what a person should know while it runs.
  public var notice: @Sendable (String) -> Void = { _ in }
  /// Told now and then, from any thread, how many interactions of how many are loaded from the cassette, or
  /// saved from the journal that an earlier run left in it.
  public var loadingProgress: @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
  /// Reads the authority that the user keeps, when one is needed; `nil` where none is kept.
  package var storedAuthority: @Sendable () throws -> AuthorityPEM? = { nil }
  /// Called when all files are read, before the first thread that serves is started; on the thread of the caller.
  package var beforeServing: @Sendable () -> Void = {}

  /// Creates a configuration; what is not given has its default, and what is not named here is set afterwards.
  public init(
    listen: String = "127.0.0.1:8080", upstream: String? = nil, forward: ForwardProxy? = nil,
    cassette: String? = nil, mode: RecordMode = .none, match: MatchSpec? = nil, router: Router = Router(),
    overrides: Overrides = Overrides()
  ) {
    self.listen = listen
    self.upstream = upstream
    self.forward = forward
    self.cassette = cassette
    self.mode = mode
    self.match = match
    self.router = router
    self.overrides = overrides
  }

  /// Throws what is wrong with it as it stands.
  public func validate() throws(ProxyError) {
    guard SocketAddress(listen) != nil else { throw .badListenAddress(listen) }
    do {
      _ = try upstreamConfiguration()
      for pattern in try upstreamPatterns() { _ = try upstreamConfiguration(for: pattern.origin) }
      for field in upstreamFields {
        if let url = field.origin {
          _ = try upstreamConfiguration(for: UpstreamOrigin(url))
        } else if hasSeveralOrigins {
          throw UpstreamURLError.fieldWithoutOrigin(field.name)
        }
      }
      // Tells now what would fail with whatever origin is asked first.
      if hasSeveralOrigins, asksOrigins {
        let origin = try UpstreamOrigin(clientCertificateOrigin ?? "https://example.invalid")
        try upstreamConfiguration(for: origin).checkFiles()
      }
    } catch { throw .badUpstream("\(error)") }
    try forward?.validate(isLoopback: SocketAddress(listen)?.isLoopback == true)
    if mode.needsUpstream, !asksOrigins { throw .upstreamMissing(mode: mode.rawValue) }
    if mode.needsCassette, cassette == nil { throw .cassetteMissing(mode: mode.rawValue) }
  }

  /// Whether there is any origin that may be asked.
  var asksOrigins: Bool { upstream != nil || !upstreams.isEmpty || forward != nil }

  /// Whether requests may be for several origins.
  var hasSeveralOrigins: Bool { !upstreams.isEmpty || forward != nil }

  /// The origins that were given, with the requests that are for them.
  func upstreamPatterns() throws(UpstreamURLError) -> [UpstreamPattern] {
    var patterns: [UpstreamPattern] = []
    for text in [upstream].compactMap({ $0 }) + upstreams {
      let pattern = try UpstreamPattern(text)
      if let other = patterns.first(where: pattern.hasCondition(of:)) {
        throw .samePattern("\(other)", "\(pattern)")
      }
      patterns.append(pattern)
    }
    // Requests of several origins are known by scheme and authority, which a socket has not.
    if hasSeveralOrigins, patterns.contains(where: { $0.origin.socketPath != nil }) {
      throw .socketAmongSeveral
    }
    return patterns
  }

  /// How clients reach several origins, for a recording; `nil` where there is one.
  func recordedUpstreams() throws(UpstreamURLError) -> RecordedUpstreams? {
    guard hasSeveralOrigins else { return nil }
    return RecordedUpstreams(patterns: try upstreamPatterns().map(\.description), isForward: forward != nil)
  }

  /// How to reach the only origin; `nil` without one.
  func upstreamConfiguration() throws(UpstreamURLError) -> UpstreamConfiguration? {
    guard !hasSeveralOrigins, let url = upstream else { return nil }
    return try upstreamConfiguration(for: UpstreamOrigin(url))
  }

  /// Whether the origin is the one that knows us by `clientCertificate`.
  private func isForCertificate(_ origin: UpstreamOrigin) throws(UpstreamURLError) -> Bool {
    if clientCertificate == nil, clientKey != nil { throw .keyWithoutCertificate }
    guard clientCertificate != nil else { return false }
    if let url = clientCertificateOrigin {
      guard let wanted = HTTPOrigin(url) else { throw .badCertificateOrigin(url) }
      guard wanted.scheme == .https else { throw .certificateForHTTP }
      let isMeant = wanted == origin.origin
      if !isMeant, !hasSeveralOrigins { throw .badCertificateOrigin(url) }
      return isMeant
    }
    guard !hasSeveralOrigins else { throw .certificateWithoutOrigin }
    guard origin.scheme == .https else { throw .certificateForHTTP }
    return true
  }

  /// How to reach an origin.
  func upstreamConfiguration(for origin: UpstreamOrigin) throws(UpstreamURLError) -> UpstreamConfiguration {
    var settings = UpstreamConfiguration(origin: origin)
    settings.caCertificatePath = caCertificate
    settings.verifiesTLS = verifiesTLS
    // Where there are several, the request has the Host that its origin is to get.
    settings.preservesHost = preservesHost || hasSeveralOrigins
    settings.passesEncodings = passesEncodings
    if try isForCertificate(origin) {
      (settings.clientCertificatePath, settings.clientKeyPath) = (clientCertificate, clientKey)
    }
    settings.route = try UpstreamRoute(
      to: origin, proxy: upstreamProxy, resolve: resolve, isOnly: !hasSeveralOrigins)
    for field in upstreamFields { try field.add(to: &settings.fields, of: origin) }
    settings.timeouts.connectMilliseconds = connectTimeoutMilliseconds
    settings.timeouts.firstByteMilliseconds = firstByteTimeoutMilliseconds
    settings.timeouts.readIdleMilliseconds = readTimeoutMilliseconds
    settings.maxConnectionsPerLoop = maxUpstreamConnectionsPerThread
    return settings
  }
}
