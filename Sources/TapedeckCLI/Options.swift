/// One option of the command, as it is parsed and as help shows it.
struct Option {
  var name: String
  /// The name of its value in help; nil for a switch.
  var value: String?
  var help: String
  var aliases: [String] = []

  static let upstream = Option(
    name: "--upstream", value: "URL", help: "the origin: http or https, a path prefix is allowed")
  static let cassette = Option(
    name: "--cassette", value: "NAME", help: "a bare name is Cassettes/NAME, anything with a slash is a path",
    aliases: ["--tapes-dir", "--recording-dir"])
  static let listen = Option(name: "--listen", value: "HOST:PORT", help: "where to listen (127.0.0.1:8080)")
  static let port = Option(
    name: "--port", value: "N", help: "short for --listen 127.0.0.1:N; 0 picks a free port")
  static let readyFile = Option(
    name: "--ready-file", value: "PATH", help: "write the base URL there once connections are accepted")
  static let mode = Option(
    name: "--mode", value: "MODE", help: "none, once, new_episodes, all or passthrough")
  static let overrides = Option(
    name: "--overrides", value: "FILE", help: "JSON file of routes that go before the cassette")
  static let onExhausted = Option(
    name: "--on-exhausted", value: "WHAT",
    help: "after the last recorded answer: repeat (default), miss or loop")
  static let pace = Option(
    name: "--pace", value: "PACE", help: "speed of recorded answers: instant (default), recorded, or like 10x"
  )
  static let missStatus = Option(name: "--miss-status", value: "N", help: "status of a refusal (502)")
  static let caCertificate = Option(
    name: "--cacert", value: "FILE", help: "PEM file of the authorities to trust for https origins")
  static let insecure = Option(name: "--insecure", help: "do not verify the origin's certificate")
  static let preserveHost = Option(name: "--preserve-host", help: "send the client's Host to the origin")
  static let passEncodings = Option(
    name: "--pass-encodings", help: "send the client's Accept-Encoding instead of identity")
  static let upstreamProxy = Option(
    name: "--upstream-proxy", value: "env",
    help: "reach the origin through the proxy that the environment names")
  static let noRewrite = Option(
    name: "--no-rewrite", help: "leave Location and cookies that name the origin as they are")
  static let threads = Option(name: "--threads", value: "N", help: "event loops (one per core)")
  static let maxBody = Option(
    name: "--max-body", value: "MIB",
    help: "largest request body accepted, in MiB (128); it is held in memory")
  static let maxConnections = Option(
    name: "--max-connections", value: "N",
    help: "clients at once (16384, or what ulimit -n allows); more get 503")
  static let headTimeout = Option(
    name: "--head-timeout", value: "SECONDS", help: "for a request's header section to come, as a whole (15)")
  static let bodyTimeout = Option(
    name: "--body-timeout", value: "SECONDS", help: "between two pieces of a request's body (30)")
  static let idleTimeout = Option(
    name: "--idle-timeout", value: "SECONDS", help: "for a connection without a request (60)")
  static let writeTimeout = Option(
    name: "--write-timeout", value: "SECONDS", help: "for a client that reads nothing of its answer (60)")
  static let connectTimeout = Option(
    name: "--connect-timeout", value: "SECONDS", help: "longest wait for a connection to the origin (10)")
  static let firstByteTimeout = Option(
    name: "--first-byte-timeout", value: "SECONDS", help: "longest wait for the head of its answer (60)")
  static let readTimeout = Option(
    name: "--read-timeout", value: "SECONDS", help: "longest silence in an answer's body (60)")
  static let maxUpstreamConnections = Option(
    name: "--max-upstream-connections", value: "N", help: "connections to the origin at once, a thread (512)")
  static let maxRecordBody = Option(
    name: "--max-record-body", value: "MIB",
    help: "largest answer body recorded, in MiB (1024); larger ones pass unrecorded")
  static let durability = Option(
    name: "--durability", value: "process|power",
    help: "what a finished exchange survives before the cassette is sealed (process)")
  static let quiet = Option(name: "--quiet", help: "no live log")
  static let logFormat = Option(name: "--log-format", value: "text|json", help: "form of the live log")
  static let json = Option(name: "--json", help: "for machines")

  static let serving: [Option] = [
    .listen, .port, .readyFile, .overrides, .missStatus, .noRewrite, .maxBody, .maxConnections,
    .headTimeout, .bodyTimeout, .idleTimeout, .writeTimeout, .threads, .quiet, .logFormat,
  ]
  static let asking: [Option] = [
    .upstream, .caCertificate, .insecure, .preserveHost, .passEncodings, .upstreamProxy, .durability,
    .connectTimeout, .firstByteTimeout, .readTimeout, .maxUpstreamConnections, .maxRecordBody,
  ]
}

extension Option {
  init(name: String, help: String) { self.init(name: name, value: nil, help: help) }
}

/// The words behind a verb, sorted out.
struct Arguments {
  private var values: [String: String] = [:]
  private(set) var positional: [String] = []

  init(_ words: [String], allowed: [Option]) throws(UsageError) {
    var index = 0
    while index < words.count {
      let word = words[index]
      index += 1
      guard word.hasPrefix("-"), word != "-" else {
        positional.append(word)
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let name = parts[0]
      guard let option = allowed.first(where: { $0.name == name || $0.aliases.contains(name) }) else {
        throw UsageError("unknown option \(name)\(Spelling.hint(name, among: allowed.map(\.name)))")
      }
      guard values[option.name] == nil else { throw UsageError("\(option.name) is given twice") }
      values[option.name] = try Self.value(of: option, given: parts, words, &index)
    }
  }

  private static func value(
    of option: Option, given parts: [String], _ words: [String], _ index: inout Int
  ) throws(UsageError) -> String {
    guard let valueName = option.value else {
      guard parts.count == 1 else { throw UsageError("\(option.name) takes no value") }
      return ""
    }
    if parts.count == 2 {
      guard !parts[1].isEmpty else {
        throw UsageError("\(option.name) needs a value: \(option.name) \(valueName)")
      }
      return parts[1]
    }
    guard index < words.count, !words[index].hasPrefix("--"), !words[index].isEmpty else {
      throw UsageError("\(option.name) needs a value: \(option.name) \(valueName)")
    }
    defer { index += 1 }
    return words[index]
  }

  subscript(option: Option) -> String? { values[option.name] }
  func has(_ option: Option) -> Bool { values[option.name] != nil }

  /// A whole number within bounds; nil when the option is absent.
  func number(_ option: Option, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
    guard let text = self[option] else { return nil }
    guard text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = Int(text), range.contains(number)
    else {
      throw UsageError(
        "\(option.name) takes a whole number from \(range.lowerBound) to \(range.upperBound), not \(text.debugDescription)"
      )
    }
    return number
  }

  /// A time in milliseconds, given in seconds with up to three decimals; nil when the option is absent.
  func milliseconds(_ option: Option) throws(UsageError) -> Int? {
    guard let text = self[option] else { return nil }
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let isNumber = parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } }
    guard isNumber, parts.count <= 2, text.utf8.count <= 10, let seconds = Double(text), seconds >= 0.001,
      seconds <= 86_400
    else {
      throw UsageError(
        "\(option.name) takes seconds from 0.001 to 86400, like 2.5, not \(text.debugDescription)")
    }
    return Int((seconds * 1000).rounded())
  }

  /// One of a few words; nil when the option is absent.
  func choice<Value: RawRepresentable<String> & CaseIterable>(
    _ option: Option, _ type: Value.Type
  ) throws(UsageError) -> Value? {
    guard let text = self[option] else { return nil }
    guard let value = Value(rawValue: text) else {
      let known = Value.allCases.map(\.rawValue)
      throw UsageError(
        "\(option.name) takes \(known.joined(separator: ", ")), not \(text.debugDescription)"
          + Spelling.hint(text, among: known))
    }
    return value
  }
}

/// Guesses what was meant.
enum Spelling {
  /// "; did you mean …?" when something close is known, else nothing.
  static func hint(_ word: String, among known: [String]) -> String {
    let best = known.map { ($0, distance(Array(word.utf8), Array($0.utf8))) }.min { $0.1 < $1.1 }
    guard let best, best.1 <= max(1, word.utf8.count / 3) else { return "" }
    return "; did you mean \(best.0)?"
  }

  /// Levenshtein's distance.
  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var row = Array(0...right.count)
    for (i, a) in left.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, b) in right.enumerated() {
        let above = row[j + 1]
        row[j + 1] = min(above + 1, row[j] + 1, diagonal + (a == b ? 0 : 1))
        diagonal = above
      }
    }
    return row[right.count]
  }
}
