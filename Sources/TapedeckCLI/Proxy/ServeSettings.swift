internal import TapedeckAdmin
internal import TapedeckHTTP
internal import TapedeckObjectStore
internal import TapedeckProxy
internal import TapedeckRecording
import TapedeckRedaction

/// The configuration from the command line of `record`, `replay`, `serve` or `run`.
struct ServeSettings {
  enum Kind: String { case record, replay, serve, run }

  var proxy = ProxyConfiguration()
  /// `nil` without an admin API.
  var admin: AdminSettings?
  var readyFile: String?
  var reportFile: String?
  var junitFile: String?
  var reportsToGitHub = false
  /// The rules of `--fail-on` and `--strict`.
  var rules: [RunRule] = []
  var warnings: [String] = []
  /// The cassette as the user knows it.
  var cassetteName: String?
  /// Where a cassette in an object store is recorded.
  var recording: RemoteRecording?
  /// How often a cassette in an object store is checked for changes, in seconds; `nil` if it is not followed.
  var followSeconds: Int?
  /// What the live log counts for the summary; `nil` where that is not shown on a terminal.
  let endpoints = Terminal.standardErrorIsTerminal ? EndpointCounts() : nil

  init(_ verb: Kind, _ arguments: Arguments) throws {
    try readOrigins(verb, arguments)
    proxy.cassette = try arguments[.cassette].map { name in
      RemoteCassettes.isMeant(by: name) ? name : try CassettePath.resolve(name)
    }
    cassetteName = proxy.cassette
    proxy.mode = try Self.mode(verb, arguments)
    proxy.verb = verb.rawValue
    if verb == .record, !arguments.has(.upstreams), !arguments.has(.forward) {
      throw UsageError("record needs --upstream URL, or --forward for any host")
    }
    if verb == .record || verb == .replay, proxy.cassette == nil {
      throw UsageError(
        "\(verb.rawValue) needs a cassette: tapedeck \(verb.rawValue) NAME, or --cassette NAME")
    }
    try UsageError.from { try proxy.validate() }
    if verb == .run { proxy.listen = "127.0.0.1:0" }
    try readListening(arguments)
    try readResponding(arguments)
    try readLimits(arguments)
    let format = try arguments.choice(.logFormat, LogFormat.self)
    // By default, a command's own output is not mixed with the log.
    let isVerbose = arguments.has(.verbose)
    if !arguments.has(.quiet), verb != .run || format != nil || isVerbose {
      proxy.log = .live(format ?? .text, counting: endpoints)
      if isVerbose, format != .json { proxy.log = proxy.log?.explaining }
    }
    proxy.notice = { Terminal.say($0) }
    try readOrigin(arguments)
    try readReporting(arguments)
    admin = try AdminSettings(arguments, proxy)
    try readSessions(arguments)
    proxy.redaction = try arguments.redaction()
    proxy.overridesFile = arguments[.overrides]
    try readStore(arguments)
  }

  /// One `--upstream` without a pattern is the only origin of a reverse proxy.
  private mutating func readOrigins(_ verb: Kind, _ arguments: Arguments) throws {
    let upstreams = arguments.all(.upstreams)
    if upstreams.count == 1, let url = upstreams.first, url.contains("://"),
      RecordedUpstreams.condition(of: url) == nil
    {
      proxy.upstream = url
    } else {
      proxy.upstreams = upstreams
    }
    guard try Self.isForward(verb, arguments) else {
      for option in [Option.allowHosts, .ignoreHosts, .proxyAuth, .proxyLocalhost]
      where arguments.isGiven(option) {
        throw UsageError("\(option.name) needs --forward")
      }
      return
    }
    var forward = ForwardProxy()
    forward.allowedHosts = arguments.all(.allowHosts)
    forward.ignoredHosts = arguments.all(.ignoreHosts)
    forward.credentials = arguments[.proxyAuth]
    proxy.forward = forward
  }

  /// `run` serves every host, unless an origin is named or the cassette was recorded from one.
  private static func isForward(_ verb: Kind, _ arguments: Arguments) throws -> Bool {
    if arguments.has(.forward) { return true }
    guard verb == .run, !arguments.has(.upstreams) else { return false }
    guard let name = arguments[.cassette] else { return true }
    let isRemote = RemoteCassettes.isMeant(by: name)
    let folder = isRemote ? try RemoteCassettes.folderIfThere(name) : try CassettePath.resolve(name)
    guard let path = folder, let directory = try? CassetteDirectory(opening: path),
      let origins = try? directory.origins()
    else { return true }
    if origins == .several { return (try? directory.upstreams())?.isForward ?? true }
    return origins == .one(nil)
  }

  /// The names of modes in other tools.
  private static let otherModes = [
    "record": RecordMode.all, "replay": .none, "new": .newEpisodes, "new-episodes": .newEpisodes,
    "proxy": .passthrough,
  ]

  static func mode(_ verb: Kind, _ arguments: Arguments) throws -> RecordMode {
    switch verb {
    case .record: return .all
    case .replay: return .none
    default: break
    }
    if let word = arguments[.mode], let meant = otherModes[word] {
      throw UsageError("there is no mode \(word); that is --mode \(meant.rawValue)")
    }
    if let mode = try arguments.choice(.mode, RecordMode.self) { return mode }
    if verb == .run, try isForward(verb, arguments) { return arguments.has(.cassette) ? .once : .passthrough }
    guard arguments.has(.upstreams) || arguments.has(.forward) else { return .none }
    return arguments.has(.cassette) ? .newEpisodes : .passthrough
  }

  private mutating func readListening(_ arguments: Arguments) throws {
    if let listen = arguments[.listen] {
      guard !arguments.has(.port) else { throw UsageError("--listen and --port exclude each other") }
      proxy.listen = listen
    } else if let port = try arguments.number(.port, in: 0...65535) {
      proxy.listen = "127.0.0.1:\(port)"
    }
    try arguments.set(&proxy.threads, to: .threads, in: 1...256)
    readyFile = arguments[.readyFile]
    proxy.tlsCertificate = arguments[.tlsCertificate]
    proxy.tlsKey = arguments[.tlsKey]
    if arguments.has(.tls) {
      guard proxy.tlsCertificate == nil else { throw UsageError("--tls and --tls-cert exclude each other") }
      proxy.authority = try AuthorityFolder().read()
    }
    if proxy.forward != nil, proxy.tlsCertificate != nil {
      throw UsageError("--tls-cert has one certificate, and --forward needs one for each host; leave it out")
    }
    if proxy.verb != Kind.run.rawValue {
      proxy.storedAuthority = { try AuthorityFolder().readIfThere() }
    }
    if proxy.tlsKey != nil, proxy.tlsCertificate == nil { throw UsageError("--tls-key needs --tls-cert") }
    try UsageError.from { try proxy.validate() }
  }

  private mutating func readResponding(_ arguments: Arguments) throws(UsageError) {
    proxy.onExhausted = try arguments.choice(.onExhausted, ExhaustionPolicy.self) ?? .repeatLast
    proxy.onCut = try arguments.choice(.onCut, CutPolicy.self) ?? .open
    if let text = arguments[.pace] {
      guard let pace = ReplayPace(text) else {
        throw UsageError("--pace takes instant, recorded or a factor like 10x, not \(text.debugDescription)")
      }
      proxy.pace = pace
    }
    proxy.match = try arguments.match()
    try arguments.set(&proxy.missStatus, to: .missStatus, in: 400...599)
    proxy.rewriting = try arguments.rewriting()
    if let path = arguments[.healthPath] {
      guard path.hasPrefix("/"), path.utf8.allSatisfy({ RequestTarget.isVisible($0) && $0 < 0x80 }),
        !path.contains("?"), !path.contains("#")
      else { throw UsageError("--health-path takes a path like /healthz, not \(path.debugDescription)") }
      proxy.healthPath = path
    }
  }

  private mutating func readReporting(_ arguments: Arguments) throws {
    proxy.explains = arguments.has(.explain)
    var rules: Set<RunRule> = arguments.has(.strict) ? [.drift, .repeat, .unused, .secrets] : []
    for list in arguments.all(.failOn) {
      for word in list.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
        rules.insert(try arguments.choice(.failOn, word))
      }
    }
    if Terminal.isCI, proxy.mode.mayRecord(cassetteExists: false) { rules.insert(.secrets) }
    self.rules = RunRule.allCases.filter(rules.contains)
    if rules.contains(.secrets) { proxy.secrets = .refuse }
    reportFile = arguments[.report]
    junitFile = arguments[.reportJUnit]
    for file in [reportFile, junitFile].compactMap({ $0 }) { try OutputFile.checkWritable(file) }
    reportsToGitHub = arguments.has(.reportGitHub)
    if reportsToGitHub { try GitHubReport.checkSummary() }
  }

  private mutating func readLimits(_ arguments: Arguments) throws(UsageError) {
    try arguments.set(&proxy.clients.maxRequestBodyBytes, to: .maxBody, in: 0...65536, times: 1 << 20)
    try arguments.set(&proxy.clients.maxConnections, to: .maxConnections, in: 1...1_000_000)
    try arguments.set(&proxy.clients.headTimeoutMilliseconds, toSecondsOf: .headTimeout)
    try arguments.set(&proxy.clients.bodyTimeoutMilliseconds, toSecondsOf: .bodyTimeout)
    try arguments.set(&proxy.clients.idleTimeoutMilliseconds, toSecondsOf: .idleTimeout)
    try arguments.set(&proxy.clients.writeTimeoutMilliseconds, toSecondsOf: .writeTimeout)
    try arguments.set(&proxy.firstByteTimeoutMilliseconds, toSecondsOf: .firstByteTimeout)
    try arguments.set(&proxy.readTimeoutMilliseconds, toSecondsOf: .readTimeout)
    try arguments.set(
      &proxy.maxUpstreamConnectionsPerThread, to: .maxUpstreamConnections, in: 1...65536)
    try arguments.set(&proxy.maxRecordedBodyBytes, to: .maxRecordBody, in: 0...1 << 20, times: 1 << 20)
  }

  private mutating func readOrigin(_ arguments: Arguments) throws {
    proxy.preservesHost = arguments.has(.preserveHost)
    proxy.passesEncodings = arguments.has(.passEncodings)
    proxy.upstreamFields = try arguments.all(.upstreamHeader).map { text throws(UsageError) in
      try Self.upstreamField(text)
    }
    if !proxy.upstreamFields.isEmpty { try UsageError.from { try proxy.validate() } }
    proxy.durability = try arguments.choice(.durability, Durability.self) ?? .process
    try Self.readConnecting(arguments, into: &proxy)
    if arguments.has(.insecure) { warnings.append(Self.insecureWarning) }
  }

  /// Reads `[ORIGIN=]NAME: VALUE`, in which `${NAME}` is a variable of the environment.
  private static func upstreamField(_ text: String) throws(UsageError) -> UpstreamField {
    let (origin, field) = bound(text)
    let rest = field ?? ""
    guard let colon = rest.firstIndex(of: ":") else {
      throw UsageError("--upstream-header takes a field like 'Authorization: Bearer ${TOKEN}'")
    }
    let value = rest[colon...].dropFirst().drop { $0 == " " }
    return UpstreamField(origin: origin, name: String(rest[..<colon]), value: try expanded(value))
  }

  private static func expanded(_ text: Substring) throws(UsageError) -> String {
    var out = ""
    var rest = text
    while let start = rest.firstRange(of: "${"), let end = rest[start.upperBound...].firstIndex(of: "}") {
      let name = String(rest[start.upperBound..<end])
      guard let value = Terminal.environment(name) else {
        throw UsageError(
          "--upstream-header names ${\(name)}, and there is no such variable in the environment")
      }
      out += rest[..<start.lowerBound] + value
      rest = rest[rest.index(after: end)...]
    }
    return out + rest
  }

  static let insecureWarning =
    "warning: --insecure: the origin's certificate is not verified; anyone could impersonate it"

  /// Splits `ORIGIN=VALUE`; the origin may be left out.
  private static func bound(_ text: String?) -> (origin: String?, value: String?) {
    guard let text, text.hasPrefix("http://") || text.hasPrefix("https://"),
      let equals = text.firstIndex(of: "=")
    else { return (nil, text) }
    return (String(text[..<equals]), String(text[equals...].dropFirst()))
  }

  /// The options of every verb that connects to an origin.
  static func readConnecting(_ arguments: Arguments, into proxy: inout ProxyConfiguration) throws(UsageError)
  {
    try arguments.set(&proxy.connectTimeoutMilliseconds, toSecondsOf: .connectTimeout)
    proxy.upstreamProxy = arguments[.upstreamProxy]
    proxy.resolve = arguments.all(.resolve)
    (proxy.clientCertificateOrigin, proxy.clientCertificate) = bound(arguments[.clientCertificate])
    proxy.clientKey = arguments[.clientKey]
    proxy.caCertificate = arguments[.caCertificate]
    proxy.verifiesTLS = !arguments.has(.insecure)
  }

  private mutating func readSessions(_ arguments: Arguments) throws(UsageError) {
    let given = [Option.sessionHeader, .sessionPath, .sessionUser].filter(arguments.has)
    if given.count > 1 { throw UsageError("\(given[0].name) and \(given[1].name) exclude each other") }
    if let name = arguments[.sessionHeader] {
      guard !name.isEmpty, name.utf8.allSatisfy(ASCII.isToken) else {
        throw UsageError("--session-header takes the name of a header")
      }
      proxy.sessionSelector = .header(name)
    } else if let prefix = arguments[.sessionPath] {
      guard prefix.hasPrefix("/"), !prefix.hasSuffix("/"), !prefix.contains("?") else {
        throw UsageError("--session-path takes a path like /session")
      }
      proxy.sessionSelector = .path(prefix)
    } else if arguments.has(.sessionUser) {
      proxy.sessionSelector = .proxyUser
    }
    try arguments.set(&proxy.sessionIdleMilliseconds, toSecondsOf: .sessionIdle)
    try arguments.set(&proxy.maxSessions, to: .maxSessions, in: 1...1_000_000)
    proxy.requestLogBytes = admin == nil ? 0 : 16 << 20
    try arguments.set(&proxy.requestLogBytes, to: .journal, in: 0...65536, times: 1 << 20)
  }
}

/// The command line of an admin API.
struct AdminSettings {
  let listener: AdminListener
  /// `nil` for a random one.
  let token: AdminToken?
  let tokenFile: String?
  let readyFile: String?
  /// Whether the URL of the inspector page is printed.
  let printsPage: Bool
  /// Whether the page is opened in a browser, too.
  let opensPage: Bool

  /// `nil` without `--admin-port`, `--admin-listen` and `--ui`.
  init?(_ arguments: Arguments, _ proxy: ProxyConfiguration) throws {
    guard let listener = try Self.listener(arguments, proxy) else {
      for option in [Option.adminToken, .adminTokenFile, .adminReadyFile] where arguments.isGiven(option) {
        throw UsageError("\(option.name) needs --admin-port, --admin-listen or --ui")
      }
      return nil
    }
    self.listener = listener
    tokenFile = arguments[.adminTokenFile]
    readyFile = arguments[.adminReadyFile]
    printsPage = arguments.has(.ui)
    opensPage = printsPage && arguments[.ui] != Option.ui.optionalValue
    token = try UsageError.from { try arguments[.adminToken].map { try AdminToken($0) } }
  }

  private static func listener(
    _ arguments: Arguments, _ proxy: ProxyConfiguration
  ) throws -> AdminListener? {
    let port = try arguments.number(.adminPort, in: 0...65535)
    guard let text = arguments[.adminListen] else {
      guard !arguments.isGiven(.adminPlaintext) else {
        throw UsageError("--admin-plaintext needs --admin-listen HOST:PORT")
      }
      return (port ?? (arguments.has(.ui) ? 0 : nil)).flatMap { AdminListener("127.0.0.1:\($0)") }
    }
    guard port == nil else { throw UsageError("--admin-listen and --admin-port exclude each other") }
    guard var listener = AdminListener(text) else {
      throw UsageError("--admin-listen takes HOST:PORT, not \(text.debugDescription)")
    }
    guard !listener.isLoopback, !arguments.has(.adminPlaintext) else { return listener }
    listener.speaksTLS = true
    guard proxy.tlsCertificate == nil else { return listener }
    guard let authority = try proxy.authority ?? AuthorityFolder().readIfThere() else {
      throw UsageError(
        "--admin-listen \(text) can be reached from other machines, so it needs TLS: name a certificate with "
          + "--tls-cert, or make an authority with 'tapedeck ca create'; --admin-plaintext does without")
    }
    listener.authority = authority
    return listener
  }
}

/// Options of every verb that writes a cassette.
extension Arguments {
  /// The rules of matching; `nil` if none are given.
  func match() throws(UsageError) -> MatchSpec? {
    guard has(.match) else { return nil }
    return try UsageError.from(.match) { try MatchSpec(all(.match)) }
  }

  fileprivate func rewriting() throws(UsageError) -> RewriteChoice {
    let opposites: [(Option, Option)] = [
      (.noRewrite, .rewrite), (.noRewrite, .rewriteBodies), (.noRewrite, .rewriteFields),
      (.noRewriteBodies, .rewriteBodies),
    ]
    for (one, other) in opposites where has(one) && has(other) {
      throw UsageError("\(other.name) and \(one.name) exclude each other; leave one of them out")
    }
    var choice = RewriteChoice()
    if has(.rewrite) || has(.noRewrite) { choice.isOn = has(.rewrite) }
    if has(.rewriteBodies) || has(.noRewriteBodies) { choice.rewritesBodies = has(.rewriteBodies) }
    for list in all(.rewriteFields) {
      try UsageError.from(.rewriteFields) { try choice.addFields(list) }
    }
    return choice
  }

  func redaction() throws(UsageError) -> RedactionChoice {
    var choice = RedactionChoice()
    for text in all(.redact) {
      do throws(RedactionPatternError) { choice.redact.append(try RedactionPattern(text)) } catch {
        throw UsageError("--redact \(text.debugDescription) \(error)")
      }
    }
    choice.keep = all(.keep)
    guard has(.noRedact) else { return choice }
    guard choice == RedactionChoice() else {
      throw UsageError("--no-redact turns redaction off, so --redact and --keep have no effect with it")
    }
    choice.isOff = true
    return choice
  }
}
