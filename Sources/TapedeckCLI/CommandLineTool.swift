internal import Glibc
internal import Synchronization
internal import TapedeckHTTP
internal import TapedeckProxy
internal import TapedeckRecording

/// Runs a verb, and maps errors to exit codes.
enum CommandLineTool {
  static let version = "0.1.0"

  static func run(_ words: [String]) -> ExitCode {
    let code = outcome(words)
    guard let error = Terminal.outputError else { return code }
    // A reader that stops early, such as head(1), is not an error.
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
      Terminal.say(message(error))
      return code(error)
    }
  }

  static func code(_ error: any Error) -> ExitCode {
    if case .secretsFound? = error as? CassetteError { return .strictness }
    return (error as? Failure)?.code ?? .failure
  }

  private static func dispatch(_ words: [String]) throws -> ExitCode {
    guard let first = words.first else {
      // As git and docker do; a script that lost its verb must not go on.
      Terminal.write(Verb.overview)
      return .usage
    }
    switch first {
    case "--help", "-h": return show(Verb.overview)
    case "--version", "-V": return show("tapedeck \(version) (\(ProxyServer.libraryVersions))\n")
    default: break
    }
    guard let verb = Verb.named(first) else {
      if first.hasPrefix("-") {
        throw UsageError("unknown option \(first); options stand after the verb, see 'tapedeck --help'")
      }
      throw UsageError(
        "unknown verb \(first.debugDescription)\(first.suggestion(among: Verb.all.map(\.name) + ["--version"]))"
          + "; see 'tapedeck --help'")
    }
    let rest = Array(words.dropFirst())
    let ours = rest.prefix { $0 != "--" }
    if ours.contains("--help") || ours.contains("-h") {
      return show(verb.helpText(isWhole: ours.contains(Option.all.name)))
    }
    var reportsToGitHub = ours.contains(Option.reportGitHub.name)
    do {
      let arguments = try arguments(rest, for: verb)
      reportsToGitHub = arguments.has(.reportGitHub)
      if arguments.has(.printConfig) { return printConfiguration(arguments) }
      return try verb.run(arguments)
    } catch {
      let usage = (error as? UsageError).map {
        UsageError("\($0.message); see 'tapedeck help \(verb.name)'")
      }
      if reportsToGitHub {
        let code = usage == nil ? code(error) : .usage
        // If the summary cannot be written, the error that is printed next says so.
        try? GitHubReport(usage?.message ?? message(error), verb: verb.name, code).publish()
      }
      throw usage ?? error
    }
  }

  private static func message(_ error: any Error) -> String { "\(error)\(CassettePath.hint(for: error))" }

  /// The command line, then the environment, then the configuration file.
  private static func arguments(_ words: [String], for verb: Verb) throws -> Arguments {
    var arguments = try Arguments(words, for: verb)
    for notice in EnvironmentDefaults.notices(Terminal.environmentNames) { Terminal.say(notice) }
    // Explains itself, whatever a configuration file says.
    guard verb.name != Verb.help.name, verb.name != Verb.completion.name else { return arguments }
    try arguments.add(EnvironmentDefaults(variable: Terminal.environment))
    if Terminal.isCI { try arguments.add(ContinuousIntegrationDefaults()) }
    let isThere = access(ConfigurationFile.standardPath, F_OK) == 0
    if let path = arguments[.config] ?? (isThere ? ConfigurationFile.standardPath : nil) {
      try arguments.add(try ConfigurationFile(path))
    }
    try RemoteCassettes.choose(arguments)
    let color = try arguments.choice(.color, ColorChoice.self) ?? .auto
    Terminal.colorChoice.withLock { $0 = color }
    return arguments
  }

  private static func printConfiguration(_ arguments: Arguments) -> ExitCode {
    let rows = arguments.inForce.map { option, setting in
      let isMode = option.name == Option.mode.name && setting.source == .default
      let mode =
        isMode
        ? ServeSettings.Kind(rawValue: arguments.verb.name).flatMap { try? ServeSettings.mode($0, arguments) }
        : nil
      return (
        option, ShownSetting(option, mode.map { OptionSetting([$0.rawValue], from: .default) } ?? setting)
      )
    }
    let columns: [TextTable<(Option, ShownSetting)>.Column] = [
      .init(heading: "OPTION") { $0.0.name },
      .init(heading: "VALUE", minimumWidth: 12) { $0.1.text },
      .init(heading: "FROM", minimumWidth: 12) { $0.1.source },
    ]
    arguments.show(TextTable(columns: columns, rows: rows).text(), json: .array(rows.map { $1.json(of: $0) }))
    return .good
  }

  private static func show(_ text: String) -> ExitCode {
    Terminal.out(text)
    return .good
  }
}

struct ExitCode: RawRepresentable, Equatable, Sendable {
  let rawValue: Int32

  static let good = ExitCode(rawValue: 0)
  static let failure = ExitCode(rawValue: 1)
  static let usage = ExitCode(rawValue: 2)
  static let unmatched = ExitCode(rawValue: 3)
  /// A check that the user asked for failed.
  static let strictness = ExitCode(rawValue: 4)

  static let legend =
    "0 good, 1 something broke, 2 usage, 3 unmatched requests, 4 a check you asked for failed"
}

/// An invalid command line. Its message is one sentence, to which a pointer to the help is added.
struct UsageError: Error {
  var message: String
  init(_ message: String) { self.message = message }

  /// Turns an error thrown by `read` into a usage error.
  static func from<Value>(
    _ option: Option? = nil, _ read: () throws -> Value
  ) throws(UsageError) -> Value {
    do { return try read() } catch { throw UsageError("\(option.map { "\($0.name): " } ?? "")\(error)") }
  }
}

/// A failure with its whole message.
struct Failure: Error, CustomStringConvertible {
  var description: String
  var code = ExitCode.failure
  init(_ description: String) { self.description = description }
}

extension Failure {
  /// For a system call that has just failed.
  init(errno action: String) { self.init("\(action): \(String(cString: strerror(errno)))") }
}

extension String {
  /// `; did you mean …?` if a known word is close, else nothing.
  func suggestion(among known: [String]) -> String {
    nearest(among: known).map { "; did you mean \($0)?" } ?? ""
  }
}
