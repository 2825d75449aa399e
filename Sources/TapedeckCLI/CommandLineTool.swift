internal import Glibc
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
      Terminal.say("\(error)\(CassettePath.hint(for: error))")
      return code(error)
    }
  }

  static func code(_ error: any Error) -> ExitCode {
    if case .secretsFound? = error as? CassetteError { return .strictness }
    return (error as? Failure)?.code ?? .failure
  }

  private static func dispatch(_ words: [String]) throws -> ExitCode {
    guard let first = words.first else { throw UsageError("no verb is given; see 'tapedeck --help'") }
    switch first {
    case "--help", "-h": return show(Verb.overview)
    case "--version": return show("tapedeck \(version) (\(ProxyServer.libraryVersions))\n")
    default: break
    }
    guard let verb = Verb.named(first) else {
      throw UsageError(
        "unknown verb \(first.debugDescription)\(first.suggestion(among: Verb.all.map(\.name)))"
          + "; see 'tapedeck --help'")
    }
    let rest = Array(words.dropFirst())
    let ours = rest.prefix { $0 != "--" }
    if ours.contains("--help") || ours.contains("-h") { return show(verb.helpText) }
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
