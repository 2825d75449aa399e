/// What the command tells its caller.
enum ExitCode: Int32 {
  case good = 0
  /// Something broke.
  case failure = 1
  /// The command was not understood.
  case usage = 2
  /// The run had requests that nothing matched.
  case unmatched = 3
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
