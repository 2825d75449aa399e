internal import TapedeckAdmin
internal import TapedeckHTTP
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
  /// The rules of `--fail-on` and `--strict`.
  var rules: [RunRule] = []
  var warnings: [String] = []

  init(_ verb: Kind, _ arguments: Arguments) throws {
    try Self.refuseWords(verb, arguments)
    proxy.upstream = arguments[.upstream]
    proxy.cassette = try arguments[.cassette].map { try CassettePath.resolve($0) }
    proxy.mode = try Self.mode(verb, arguments)
    proxy.verb = verb.rawValue
    if verb == .record, proxy.upstream == nil { throw UsageError("record needs --upstream URL") }
    if verb == .record || verb == .replay, proxy.cassette == nil {
      throw UsageError("\(verb.rawValue) needs --cassette NAME")
    }
    try UsageError.from { try proxy.validate() }
    if verb == .run { proxy.listen = "127.0.0.1:0" }
    try readListening(arguments)
    try readResponding(arguments)
    try readLimits(arguments)
    let format = try arguments.choice(.logFormat, LogFormat.self)
    // By default, a command's own output is not mixed with the log.
    if !arguments.has(.quiet), verb != .run || format != nil { proxy.log = .live(format ?? .text) }
    proxy.notice = { Terminal.say($0) }
    try readOrigin(arguments)
    try readReporting(arguments)
    admin = try AdminSettings(arguments)
    try readSessions(arguments)
    proxy.redaction = try arguments.redaction()
    proxy.overridesFile = arguments[.overrides]
  }

  /// A word without an option is most likely a cassette or an origin.
  private static func refuseWords(_ verb: Kind, _ arguments: Arguments) throws(UsageError) {
    guard let word = arguments.positional.first else { return }
    let isURL = word.contains("://")
    let option = isURL ? Option.upstream : .cassette
    guard !arguments.has(option), !isURL || verb != .replay else {
      throw UsageError("too many arguments: \(word.debugDescription)")
    }
    throw UsageError(
      "\(word.debugDescription) has no option; write \(option.name) \(ShellWord.quoted(word)) if it is the "
        + (isURL ? "origin" : "cassette"))
  }

  /// The names of modes in other tools.
  private static let otherModes = [
    "record": RecordMode.all, "replay": .none, "new": .newEpisodes, "new-episodes": .newEpisodes,
    "proxy": .passthrough,
  ]

  private static func mode(_ verb: Kind, _ arguments: Arguments) throws(UsageError) -> RecordMode {
    switch verb {
    case .record: return .all
    case .replay: return .none
    default: break
    }
    if let word = arguments[.mode], let meant = otherModes[word] {
      throw UsageError("there is no mode \(word); that is --mode \(meant.rawValue)")
    }
    if let mode = try arguments.choice(.mode, RecordMode.self) { return mode }
    if Terminal.isCI { return .none }
    guard arguments.has(.upstream) else { return .none }
    return arguments.has(.cassette) ? .newEpisodes : .passthrough
  }

  private mutating func readListening(_ arguments: Arguments) throws(UsageError) {
    if let listen = arguments[.listen] {
      guard !arguments.has(.port) else { throw UsageError("--listen and --port exclude each other") }
      proxy.listen = listen
    } else if let port = try arguments.number(.port, in: 0...65535) {
      proxy.listen = "127.0.0.1:\(port)"
    }
    try arguments.set(&proxy.threads, to: .threads, in: 1...256)
    readyFile = arguments[.readyFile]
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
  }

  private mutating func readReporting(_ arguments: Arguments) throws {
    proxy.explains = arguments.has(.explain)
    var rules: Set<RunRule> = arguments.has(.strict) ? [.drift, .repeat, .unused, .secrets] : []
    for list in arguments.all(.failOn) {
      for word in list.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
        rules.insert(try Arguments.choice(.failOn, word))
      }
    }
    if Terminal.isCI, proxy.mode.mayRecord(cassetteExists: false) { rules.insert(.secrets) }
    self.rules = RunRule.allCases.filter(rules.contains)
    if rules.contains(.secrets) { proxy.secrets = .refuse }
    reportFile = arguments[.report]
    junitFile = arguments[.reportJUnit]
    for file in [reportFile, junitFile].compactMap({ $0 }) { try OutputFile.checkWritable(file) }
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
    proxy.durability = try arguments.choice(.durability, Durability.self) ?? .process
    try Self.readConnecting(arguments, into: &proxy)
    if arguments.has(.insecure) { warnings.append(Self.insecureWarning) }
  }

  static let insecureWarning =
    "warning: --insecure: the origin's certificate is not verified; anyone could impersonate it"

  /// The options of every verb that connects to an origin.
  static func readConnecting(_ arguments: Arguments, into proxy: inout ProxyConfiguration) throws(UsageError)
  {
    try arguments.set(&proxy.connectTimeoutMilliseconds, toSecondsOf: .connectTimeout)
    proxy.upstreamProxy = arguments[.upstreamProxy]
    proxy.resolve = arguments.all(.resolve)
    proxy.clientCertificate = arguments[.clientCertificate]
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
  let port: Int
  /// `nil` for a random one.
  let token: AdminToken?
  let tokenFile: String?
  let readyFile: String?

  /// `nil` without `--admin-port`.
  init?(_ arguments: Arguments) throws(UsageError) {
    guard let port = try arguments.number(.adminPort, in: 0...65535) else {
      for option in [Option.adminToken, .adminTokenFile, .adminReadyFile] where arguments.has(option) {
        throw UsageError("\(option.name) needs --admin-port")
      }
      return nil
    }
    self.port = port
    tokenFile = arguments[.adminTokenFile]
    readyFile = arguments[.adminReadyFile]
    let text = arguments[.adminToken] ?? Terminal.environment("TAPEDECK_ADMIN_TOKEN")
    token = try UsageError.from { try text.map { try AdminToken($0) } }
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
