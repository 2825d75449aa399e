/// Why a template cannot be used, and where.
public struct TemplateError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The file, or `template`, and the line, counted from 1.
  public let place: String
  public let problem: String

  init(place: String, problem: String) {
    self.place = place
    self.problem = problem
  }

  init(_ error: FileError) { self.init(place: error.path, problem: error.problem) }

  public var description: String { "\(place): \(problem)" }
}
