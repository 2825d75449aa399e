internal import Glibc
internal import TapedeckProxy
internal import TapedeckRecording

/// From words to a verb; from errors to an exit code. The only place that decides one.
enum CommandLineTool {
  static let version = "0.1.0"

  static func run(_ words: [String]) -> ExitCode {
    let code = outcome(words)
    guard let error = Terminal.outputError else { return code }
    // Whoever reads no further, as head(1) does, need not be told.
    if error != EPIPE { Terminal.say("cannot write standard output: \(String(cString: strerror(error)))") }
    return [.good, .unmatched, .strictness].contains(code) ? .failure : code
  }

  private static func outcome(_ words: [String]) -> ExitCode {
    do {
      return try dispatch(words)
    } catch let error as UsageError {
      Terminal.say(error.message)
      return .usage
    } catch {
      Terminal.say("\(error)\(CassettePath.hint(for: error))")
      return code(error)
    }
  }

  /// What an error comes to at the end.
  static func code(_ error: any Error) -> ExitCode {
    if let error = error as? CommandFailure { return error.code }
    guard let error = error as? CassetteError, case .secretsFound = error else { return .failure }
    return .strictness
  }

  private static func dispatch(_ words: [String]) throws -> ExitCode {
    guard let first = words.first else { throw UsageError("what shall I do? see 'tapedeck --help'") }
    switch first {
    case "--help", "-h": return show(Help.overview)
    case "--version":
      return show("tapedeck \(version) (\(ProxyServer.libraryVersions))\n")
    default: break
    }
    guard let verb = Verb.named(first) else {
      throw UsageError(
        "unknown verb \(first.debugDescription)\(Spelling.hint(first, among: Verb.all.map(\.name)))"
          + "; see 'tapedeck --help'")
    }
    let rest = Array(words.dropFirst())
    let ours = rest.prefix { $0 != "--" }
    if ours.contains("--help") || ours.contains("-h") { return show(Help.text(for: verb)) }
    do {
      return try verb.run(try Arguments(rest, for: verb))
    } catch let error as UsageError {
      throw UsageError("\(error.message); see 'tapedeck help \(verb.name)'")
    }
  }

  private static func show(_ text: String) -> ExitCode {
    Terminal.out(text)
    return .good
  }
}
