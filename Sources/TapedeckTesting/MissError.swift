public import Foundation

/// Requests of a test that nothing responded to.
public struct MissError: Error, LocalizedError, CustomStringConvertible {
  /// One text for each request: what came, the nearest recordings, and commands that would help.
  public let explanations: [String]
  /// The error that the test ended with, likely for want of a response; `nil` if it had none.
  public let underlyingError: (any Error)?

  public var description: String {
    (explanations + (underlyingError.map { ["the test ended with: \($0)"] } ?? [])).joined(separator: "\n")
  }

  public var errorDescription: String? { description }
}
