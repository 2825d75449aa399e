internal import TapedeckHTTP
internal import TapedeckRecording

/// The commands that would make a request match, or record it. They repeat the rules in force, so that what matched
/// before still does; a command that would not help is not given.
extension MissExplanation {
  /// More differences than these are another request, whatever they look like.
  private static let maximumIgnored = 6

  /// The one that fits best first.
  /// - Parameter request: without its secrets.
  func fixes(
    for request: HTTPRequest, nearest: NearMiss?, cassette: Cassette?, recorded: Int
  ) -> [Miss.Fix] {
    // A program with routes and no recordings is not steered by commands.
    guard configuration.cassette != nil || configuration.verb != nil else { return [] }
    let first =
      recorded > 0 ? repeating(cassette) : nearest.flatMap { ignoring($0, request, cassette) }
    return [first, recording(cassette, recorded: recorded)].compactMap { $0 }
  }

  private func repeating(_ cassette: Cassette?) -> Miss.Fix {
    Miss.Fix(
      because: "to get the last recorded response again",
      command: command(again, rules: rules(cassette), onExhausted: .repeatLast))
  }

  /// Where all that differs looks new in every request, or is the same in another type.
  private func ignoring(_ nearest: NearMiss, _ request: HTTPRequest, _ cassette: Cassette?) -> Miss.Fix? {
    guard let cassette, (1...Self.maximumIgnored).contains(nearest.differences.count),
      nearest.differences.allSatisfy({ $0.looksVolatile || $0.ignoredBy == "body:json" })
    else { return nil }
    let words = nearest.differences.compactMap(\.ignoredBy).reduce(into: [String]()) { words, word in
      if !words.contains(word) { words.append(word) }
    }
    let headers = nearest.differences.compactMap(\.comparedHeader)
    var kept = cassette.matcher.rules
    kept.headers.subtract(headers)
    guard let changed = try? MatchSpec(words).rules(changing: kept),
      Self.matches(nearest.interaction.recorded, request, by: changed, cassette.matcher)
    else { return nil }
    let fields = nearest.differences.map(\.field).joined(separator: ", ")
    return Miss.Fix(
      because: "to ignore \(fields)\(forGood(cassette, adding: words, removing: headers))",
      // No word takes a header out of the rules: all others are named.
      command: command(again, rules: headers.isEmpty ? rules(cassette) + words : changed.items))
  }

  /// How the cassette itself comes to say the same; nothing where it is a file of another tool, or in an object store.
  private func forGood(_ cassette: Cassette, adding words: [String], removing headers: [String]) -> String {
    if cassette.isForeignFile || configuration.cassettePlace != nil { return "" }
    let changes = [("add", words), ("remove", headers.map { "headers:\($0)" })].filter { !$0.1.isEmpty }
      .map { verb, words in "\(verb) \(words.map(Self.quoted).joined(separator: ", "))" }
    return " (for good: \(changes.joined(separator: " and ")) in match of \(cassette.path)/cassette.json)"
  }

  private static func quoted(_ word: String) -> String {
    String(decoding: JSONValue(word).bytes(), as: UTF8.self)
  }

  /// Whether rules make one of the two requests.
  private static func matches(
    _ recorded: RecordedRequest, _ request: HTTPRequest, by rules: MatchRules, _ matcher: RequestMatcher
  ) -> Bool {
    // A body in a file of its own is not read for this.
    if recorded.largeBody != nil { return true }
    let changed = RequestMatcher(
      rules, redaction: matcher.redaction, comparesOrigin: matcher.comparesOrigin)
    return changed.key(for: recorded.request) == changed.key(for: request)
  }

  private func recording(_ cassette: Cassette?, recorded: Int) -> Miss.Fix {
    let isForward = configuration.forward != nil || cassette?.hasSeveralOrigins == true
    let origin = isForward ? nil : configuration.upstream ?? cassette?.upstream
    var name = configuration.shownCassette ?? "NAME"
    var why = configuration.cassette == nil ? "to record it" : "to record it into this cassette"
    var before = ""
    if let cassette, cassette.isForeignFile {
      name = Self.cassetteName(of: cassette.path)
      why = "to make a cassette of this file, and record it into that"
      before = "tapedeck import \(ShellWord.quoted(Self.operand(cassette.path))) --cassette \(name) && "
    }
    let needsURL = origin == nil && !isForward
    let placeholders = [configuration.cassette == nil ? "NAME" : nil, needsURL ? "URL" : nil]
      .compactMap { $0 }
    if !placeholders.isEmpty { why += " (put in \(placeholders.joined(separator: " and ")))" }
    return Miss.Fix(
      because: why,
      command: before
        + command(
          [verb == "run" ? "run" : "serve", "--mode new_episodes"] + origins(of: cassette),
          upstream: needsURL ? "URL" : origin,
          cassette: name,
          rules: rules(cassette), onExhausted: recorded > 0 ? .miss : nil))
  }

  /// The origins of a cassette that has several, where the configuration names none.
  private func origins(of cassette: Cassette?) -> [String] {
    guard !configuration.hasSeveralOrigins, configuration.upstream == nil, let recorded = cassette?.upstreams
    else { return [] }
    return recorded.patterns.map { Self.option("--upstream", $0) }
      + (recorded.isForward && verb != "run" ? ["--forward"] : [])
  }

  /// The stem of a file's name, as far as it can be a cassette's.
  private static func cassetteName(of file: String) -> String {
    let last = file.split(separator: "/").last.map(String.init) ?? file
    let stem = last.split(separator: ".").first.map(String.init) ?? last
    let name = stem.utf8.filter(ASCII.isWord)
    return name.isEmpty ? "imported" : String(decoding: name, as: UTF8.self)
  }

  // MARK: The command line

  private var verb: String { configuration.verb ?? "" }

  /// The verb that runs now, and its mode.
  private var again: [String] {
    let mode = "--mode \(configuration.mode.rawValue)"
    if verb == "run" { return ["run", mode] }
    return configuration.mode == .none ? ["replay"] : ["serve", mode]
  }

  /// The rules in force, where the cassette itself has others; none where it has the same.
  private func rules(_ cassette: Cassette?) -> [String] {
    guard let cassette else { return (try? configuration.match?.rules())?.items ?? [] }
    return cassette.matcher.rules == cassette.recordedRules ? [] : cassette.matcher.rules.items
  }

  private func command(
    _ words: [String], upstream: String? = nil, cassette: String? = nil, rules: [String],
    onExhausted: ExhaustionPolicy? = nil
  ) -> String {
    var words = ["tapedeck"] + words
    let asks = upstream ?? (words.contains("replay") ? nil : configuration.upstream)
    if let asks { words.append(Self.option("--upstream", asks)) }
    let isReplay = words.contains("replay")
    if !isReplay { words += configuration.upstreams.map { Self.option("--upstream", $0) } + forwarding }
    if asks != nil || !isReplay && configuration.hasSeveralOrigins { words += reaching }
    if let cassette = cassette ?? configuration.shownCassette {
      words.append(Self.option("--cassette", cassette))
    }
    if !rules.isEmpty { words.append(Self.option("--match", rules.joined(separator: ","))) }
    let inForce = configuration.onExhausted == .repeatLast ? nil : configuration.onExhausted
    if let policy = onExhausted ?? inForce { words.append("--on-exhausted \(policy.rawValue)") }
    if let file = configuration.overridesFile { words.append(Self.option("--overrides", file)) }
    if verb != "run", !Self.isUsual(configuration.listen) {
      words.append(Self.option("--listen", configuration.listen))
    }
    return (words + (verb == "run" ? ["-- COMMAND"] : [])).joined(separator: " ")
  }

  /// How clients that name their origin are served; `run` does so by itself.
  private var forwarding: [String] {
    guard let forward = configuration.forward else { return [] }
    return (verb == "run" ? [] : ["--forward"])
      + forward.allowedHosts.map { Self.option("--allow-hosts", $0) }
      + forward.ignoredHosts.map { Self.option("--ignore-hosts", $0) }
  }

  /// How the origin is reached.
  private var reaching: [String] {
    var words: [String] = []
    if let file = configuration.caCertificate { words.append(Self.option("--cacert", file)) }
    if !configuration.verifiesTLS { words.append("--insecure") }
    if let file = configuration.clientCertificate {
      let origin = configuration.clientCertificateOrigin.map { "\($0)=" } ?? ""
      words.append(Self.option("--client-cert", origin + file))
    }
    if let file = configuration.clientKey { words.append(Self.option("--client-key", file)) }
    if let proxy = configuration.upstreamProxy {
      // The user and password of a proxy are not for the log.
      let isOpen = !proxy.contains("@")
      words.append(Self.option("--upstream-proxy", isOpen ? proxy : "URL"))
    }
    for entry in configuration.resolve { words.append(Self.option("--resolve", entry)) }
    return words
  }

  /// Whether an address is the one by default, or any that is free.
  private static func isUsual(_ listen: String) -> Bool {
    listen == ProxyConfiguration().listen || listen.hasSuffix(":0")
  }

  /// A value that looks like an option needs an equals sign.
  private static func option(_ name: String, _ value: String) -> String {
    "\(name)\(value.hasPrefix("--") ? "=" : " ")\(ShellWord.quoted(value))"
  }

  /// A word that is taken for no option.
  private static func operand(_ path: String) -> String { path.hasPrefix("-") ? "./\(path)" : path }
}

extension ProxyConfiguration {
  /// The cassette as the user knows it.
  var shownCassette: String? { cassettePlace ?? cassette }
}
