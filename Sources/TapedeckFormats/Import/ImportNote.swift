/// Something that a file of another tool says and a cassette does not, or not in that form.
public struct ImportNote: Sendable, Equatable {
  public enum Severity: Sendable, Equatable {
    /// The form changed and the meaning did not.
    case changed
    /// The exchange is there, but a part of what the file said about it is not.
    case lost
    /// The exchange is not there.
    case skipped
  }

  public var severity: Severity
  /// The file, as it was named.
  public var file: String
  /// Where in the file: `entry 4`; empty for all of it.
  public var entry: String
  /// What was asked there, without its query, in which secrets travel; empty when that is not known.
  public var request: String
  /// What could not be carried over, and what became of it: one wording for one reason, so that notes can be counted.
  public var problem: String

  public init(severity: Severity, file: String, entry: String, request: String = "", problem: String) {
    self.severity = severity
    self.file = file
    self.entry = entry
    self.request = request
    self.problem = problem
  }
}

extension ImportNote: CustomStringConvertible {
  public var description: String {
    let request = request.isEmpty ? "" : " (\(request))"
    return "\(file): \(entry.isEmpty ? "" : "\(entry)\(request): ")\(problem)"
  }
}
