/// What the command tells its caller.
struct ExitCode: RawRepresentable, Equatable, Sendable {
  let rawValue: Int32

  static let good = ExitCode(rawValue: 0)
  /// Something broke.
  static let failure = ExitCode(rawValue: 1)
  /// The command was not understood.
  static let usage = ExitCode(rawValue: 2)
  /// The run had requests that nothing matched.
  static let unmatched = ExitCode(rawValue: 3)
  /// A rule that the user asked for does not hold.
  static let strictness = ExitCode(rawValue: 4)

  static let legend =
    "0 good, 1 something broke, 2 usage, 3 unmatched requests, 4 a rule you asked for does not hold"
}

/// A command line that makes no sense: one sentence, and where to read on.
struct UsageError: Error {
  var message: String
  init(_ message: String) { self.message = message }
}

/// A failure that is already told in full.
struct Failure: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}
