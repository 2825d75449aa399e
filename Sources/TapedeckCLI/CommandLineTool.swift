internal import TapedeckProxy

/// From words to a verb; from errors to an exit code. The only place that decides one.
enum CommandLineTool {
  static let version = "0.1.0"

  static func run(_ words: [String]) -> ExitCode {
    do {
      return try dispatch(words)
    } catch let error as UsageError {
      Terminal.say(error.message)
      return .usage
    } catch {
      Terminal.say("\(error)")
      return .failure
    }
  }

  private static func dispatch(_ words: [String]) throws -> ExitCode {
    guard let first = words.first else { throw UsageError("what shall I do? see 'tapedeck --help'") }
    switch first {
    case "--help", "-h": return show(Help.overview)
    case "--version":
      return show("tapedeck \(version) (\(ProxyServer.libraryVersions))\n")
    default: break
    }
    guard let verb = Verb(word: first) else {
      throw UsageError(
        "unknown verb \(first.debugDescription)\(Spelling.hint(first, among: Verb.allCases.map(\.rawValue)))"
          + "; see 'tapedeck --help'")
    }
    let rest = Array(words.dropFirst())
    if verb == .help { return try help(rest) }
    if rest.contains("--help") || rest.contains("-h") { return show(Help.text(for: verb)) }
    do {
      return try run(verb, try Arguments(rest, allowed: verb.options))
    } catch let error as UsageError {
      throw UsageError("\(error.message); see 'tapedeck help \(verb.rawValue)'")
    }
  }

  private static func run(_ verb: Verb, _ arguments: Arguments) throws -> ExitCode {
    switch verb {
    case .record, .replay, .serve:
      try ServeVerb.run(try ServeSettings(verb, arguments))
    case .ls: try CassetteVerbs.list(arguments)
    case .show: try CassetteVerbs.show(arguments)
    case .demo: try DemoVerb.run(arguments)
    case .help: .good
    }
  }

  private static func help(_ words: [String]) throws(UsageError) -> ExitCode {
    guard let word = words.first else { return show(Help.overview) }
    guard words.count == 1, let verb = Verb(word: word) else {
      throw UsageError("no help for \(words.joined(separator: " ").debugDescription); see 'tapedeck --help'")
    }
    return show(Help.text(for: verb))
  }

  private static func show(_ text: String) -> ExitCode {
    Terminal.out(text)
    return .good
  }
}
