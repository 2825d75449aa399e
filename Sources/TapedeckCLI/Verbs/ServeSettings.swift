internal import TapedeckHTTP
internal import TapedeckProxy
internal import TapedeckRecording

/// What `record`, `replay` and `serve` were told, turned into a configuration.
struct ServeSettings {
  /// Which verb is being told.
  enum Kind: String { case record, replay, serve, run }

  var proxy = ProxyConfiguration()
  /// Nil where nobody steers.
  var admin: AdminSettings?
  var readyFile: String?
  /// A log in the midst of what a command prints would be in its way.
  private var logsByItself = true
  /// Where the reports go.
  var reportFile: String?
  var junitFile: String?
  /// What must not happen in this run.
  var rules: [RunRule] = []
  /// Things to warn about before the start.
  var warnings: [String] = []

  init(_ verb: Kind, _ arguments: Arguments) throws {
    try Self.refuseWords(verb, arguments)
    proxy.upstream = arguments[.upstream]
    proxy.cassette = try arguments[.cassette].map { try CassettePath.resolve($0) }
    proxy.mode = try Self.mode(verb, arguments)
    proxy.verb = verb.rawValue
    try Self.check(verb, proxy)
    if verb == .run {
      proxy.listen = "127.0.0.1:0"
      logsByItself = false
    }
    try readListening(arguments)
    try readAnswering(arguments)
    try readAsking(arguments)
    try readReporting(arguments)
    try readSteering(arguments)
    proxy.redaction = try arguments.redaction()
    proxy.overridesFile = arguments[.overrides]
  }

  /// What stands alone on the command line is most likely a cassette or an origin, whose option is missing.
  private static func refuseWords(_ verb: Kind, _ arguments: Arguments) throws(UsageError) {
    guard let word = arguments.positional.first else { return }
    let isURL = word.contains("://")
    let option = isURL ? Option.upstream : .cassette
    guard !arguments.has(option), !isURL || verb != .replay else {
      throw UsageError("\(word.debugDescription) is one word too many")
    }
    throw UsageError(
      "\(word.debugDescription) stands alone; write \(option.name) \(ShellWord.quoted(word)) if it is the "
        + (isURL ? "origin" : "cassette"))
  }

  /// Other words for what the modes do.
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

  private static func check(_ verb: Kind, _ proxy: ProxyConfiguration) throws(UsageError) {
    switch verb {
    case .record where proxy.upstream == nil: throw UsageError("record needs --upstream URL")
    case .record where proxy.cassette == nil, .replay where proxy.cassette == nil:
      throw UsageError("\(verb.rawValue) needs --cassette NAME")
    default: break
    }
    do throws(ProxyError) { try proxy.validate() } catch { throw UsageError(error.description) }
  }

  private mutating func readListening(_ arguments: Arguments) throws(UsageError) {
    if let listen = arguments[.listen] {
      guard !arguments.has(.port) else { throw UsageError("--listen and --port exclude each other") }
      proxy.listen = listen
    } else if let port = try arguments.number(.port, in: 0...65535) {
      proxy.listen = "127.0.0.1:\(port)"
    }
    if let threads = try arguments.number(.threads, in: 1...256) { proxy.threads = threads }
    readyFile = arguments[.readyFile]
    do throws(ProxyError) { try proxy.validate() } catch { throw UsageError(error.description) }
  }

  private mutating func readAnswering(_ arguments: Arguments) throws(UsageError) {
    proxy.onExhausted = try arguments.choice(.onExhausted, ExhaustionPolicy.self) ?? .repeatLast
    proxy.onCut = try arguments.choice(.onCut, CutPolicy.self) ?? .open
    if let text = arguments[.pace] {
      guard let pace = ReplayPace(text) else {
        throw UsageError("--pace takes instant, recorded or a factor like 10x, not \(text.debugDescription)")
      }
      proxy.pace = pace
    }
    proxy.match = try arguments.match()
    proxy.missStatus = try arguments.number(.missStatus, in: 400...599) ?? 502
    try readLimits(arguments)
    proxy.rewriting = try arguments.rewriting()
    let format = try arguments.choice(.logFormat, LogLine.Format.self) ?? .text
    if !arguments.has(.quiet), logsByItself || arguments.has(.logFormat) { proxy.log = LogLine.log(format) }
    proxy.notice = { Terminal.say($0) }
  }

  private mutating func readReporting(_ arguments: Arguments) throws {
    proxy.explains = arguments.has(.explain)
    var rules: Set<RunRule> = arguments.has(.strict) ? [.drift, .repeat, .unused, .secrets] : []
    for word in arguments.all(.failOn).flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false) })
    {
      guard let rule = RunRule(rawValue: String(word)) else {
        let known = RunRule.allCases.map(\.rawValue)
        throw UsageError(
          "--fail-on takes \(known.joined(separator: ", ")), not \(String(word).debugDescription)"
            + Spelling.hint(String(word), among: known))
      }
      rules.insert(rule)
    }
    if Terminal.isCI, proxy.mode.mayRecord(cassetteExists: false) { rules.insert(.secrets) }
    self.rules = RunRule.allCases.filter(rules.contains)
    if rules.contains(.secrets) { proxy.secrets = .refuse }
    reportFile = arguments[.report]
    junitFile = arguments[.reportJUnit]
    for file in [reportFile, junitFile].compactMap({ $0 }) { try OutputFile.checkWritable(file) }
  }

  private mutating func readLimits(_ arguments: Arguments) throws(UsageError) {
    if let mebibytes = try arguments.number(.maxBody, in: 0...65536) {
      proxy.clients.maxRequestBodyBytes = mebibytes << 20
    }
    if let count = try arguments.number(.maxConnections, in: 1...1_000_000) {
      proxy.clients.maxConnections = count
    }
    if let time = try arguments.milliseconds(.headTimeout) { proxy.clients.headTimeoutMilliseconds = time }
    if let time = try arguments.milliseconds(.bodyTimeout) { proxy.clients.bodyTimeoutMilliseconds = time }
    if let time = try arguments.milliseconds(.idleTimeout) { proxy.clients.idleTimeoutMilliseconds = time }
    if let time = try arguments.milliseconds(.writeTimeout) { proxy.clients.writeTimeoutMilliseconds = time }
    if let time = try arguments.milliseconds(.firstByteTimeout) { proxy.firstByteTimeoutMilliseconds = time }
    if let time = try arguments.milliseconds(.readTimeout) { proxy.readTimeoutMilliseconds = time }
    if let count = try arguments.number(.maxUpstreamConnections, in: 1...65536) {
      proxy.maxUpstreamConnectionsPerThread = count
    }
    if let mebibytes = try arguments.number(.maxRecordBody, in: 0...1 << 20) {
      proxy.maxRecordedBodyBytes = mebibytes << 20
    }
  }

  private mutating func readAsking(_ arguments: Arguments) throws {
    proxy.preservesHost = arguments.has(.preserveHost)
    proxy.passesEncodings = arguments.has(.passEncodings)
    proxy.durability = try arguments.choice(.durability, Durability.self) ?? .process
    try Self.readReaching(arguments, into: &proxy)
    if arguments.has(.insecure) { warnings.append(Self.insecureWarning) }
  }

  static let insecureWarning =
    "warning: --insecure: the origin's certificate is not verified; anyone could answer in its name"

  /// How the origin is reached: what every verb that asks one takes.
  static func readReaching(_ arguments: Arguments, into proxy: inout ProxyConfiguration) throws(UsageError) {
    if let time = try arguments.milliseconds(.connectTimeout) { proxy.connectTimeoutMilliseconds = time }
    if let source = arguments[.upstreamProxy] {
      guard source == "env" else {
        throw UsageError("--upstream-proxy takes env, not \(source.debugDescription)")
      }
      proxy.usesEnvironmentProxy = true
    }
    proxy.caCertificate = arguments[.caCertificate]
    proxy.verifiesTLS = !arguments.has(.insecure)
  }
}
