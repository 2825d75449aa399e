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
  public var listen = "127.0.0.1:8080"
  /// Event loops; by default one for each core this process may run on.
  public var threads = EventLoopThread.usableCores
  /// The origin, as a URL; `nil` where none is ever asked.
  public var upstream: String?
  /// The folder of the cassette.
  public var cassette: String?
  /// The record mode.
  public var mode = RecordMode.none
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
  /// A PEM file of the private key of `clientCertificate`.
  public var clientKey: String?
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
  public var router = Router()
  /// Overrides declared in JSON, which go before all else.
  public var overrides = Overrides()
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
  /// The verb of the command that runs, so that refusals and misses may name its options; nil in a program of the
  /// user's own.
  public var verb: String?
  /// The live log; `nil` for none.
  public var log: ExchangeLog?
  /// Told in a sentence what a person should know while it runs.
  public var notice: @Sendable (String) -> Void = { _ in }
  /// Told now and then, from any thread, how many interactions of how many are loaded from the cassette.
  public var loadingProgress: @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
  /// Called when all files are read, before the first thread that serves is started; on the thread of the caller.
  package var beforeServing: @Sendable () -> Void = {}

  /// Creates a configuration with the defaults.
  public init() {}

  /// Throws what is wrong with it as it stands.
  public func validate() throws(ProxyError) {
    guard SocketAddress(listen) != nil else { throw .badListenAddress(listen) }
    do { _ = try upstreamConfiguration() } catch { throw .badUpstream("\(error)") }
    if mode.needsUpstream, upstream == nil { throw .upstreamMissing(mode: mode.rawValue) }
    if mode.needsCassette, cassette == nil { throw .cassetteMissing(mode: mode.rawValue) }
  }

  /// How to reach the origin; `nil` without one.
  func upstreamConfiguration() throws(UpstreamURLError) -> UpstreamConfiguration? {
    guard let url = upstream else { return nil }
    var settings = UpstreamConfiguration(origin: try UpstreamOrigin(url))
    settings.caCertificatePath = caCertificate
    settings.verifiesTLS = verifiesTLS
    settings.preservesHost = preservesHost
    settings.passesEncodings = passesEncodings
    if clientCertificate == nil, clientKey != nil { throw .keyWithoutCertificate }
    if clientCertificate != nil, settings.origin.scheme == .http { throw .certificateForHTTP }
    settings.clientCertificatePath = clientCertificate
    settings.clientKeyPath = clientKey
    settings.route = try UpstreamRoute(to: settings.origin, proxy: upstreamProxy, resolve: resolve)
    settings.timeouts.connectMilliseconds = connectTimeoutMilliseconds
    settings.timeouts.firstByteMilliseconds = firstByteTimeoutMilliseconds
    settings.timeouts.readIdleMilliseconds = readTimeoutMilliseconds
    settings.maxConnectionsPerLoop = maxUpstreamConnectionsPerThread
    return settings
  }
}
