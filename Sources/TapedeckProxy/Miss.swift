/// A request that nothing answered, explained: what came, what was nearest, what differed, and what to run next.
public struct Miss: Sendable, Equatable {
  /// A recording that comes near.
  public struct Nearest: Sendable, Equatable {
    /// Its file in the cassette.
    public var file: String
    /// Its method and target.
    public var request: String
    public var differences: [Difference]
  }

  /// A place where the request and a recording are not the same.
  public struct Difference: Sendable, Equatable {
    /// As in `query "page"`, `$.user.name`, `method`.
    public var field: String
    /// Nil where it is not there.
    public var recorded: String?
    public var received: String?
  }

  /// A command that would change things.
  public struct Fix: Sendable, Equatable {
    public var because: String
    public var command: String
  }

  public var method: String
  /// Path and query.
  public var target: String
  /// One sentence.
  public var detail: String
  /// The nearest first; three at most.
  public var nearest: [Nearest]
  /// The one that fits best first.
  public var fixes: [Fix]
  /// The request as a command line.
  public var curl: String
  /// Those of one sort are told once.
  var sort: String
}

extension Miss.Difference: CustomStringConvertible {
  public var description: String { "\(field): \(recorded ?? "(absent)") → \(received ?? "(absent)")" }
}

extension Miss {
  private static let listedDifferences = 8

  /// For the log, below the request's own line: the nearest in full, the next with the names of what differs.
  var lines: [String] {
    var lines: [String] = []
    if let near = nearest.first {
      lines.append("  nearest: \(near.file) (\(near.request))")
      lines += near.differences.prefix(Self.listedDifferences).map { "    \($0)" }
      let rest = near.differences.count - Self.listedDifferences
      if rest > 0 { lines.append("    and \(rest) more") }
    }
    for near in nearest.dropFirst() {
      let fields = near.differences.prefix(Self.listedDifferences).map(\.field).joined(separator: ", ")
      lines.append("  further: \(near.file) (\(near.request)): \(fields)")
    }
    for fix in fixes {
      lines.append("  \(fix.because):")
      lines.append("    \(fix.command)")
    }
    return lines + ["  again: \(curl)"]
  }
}
