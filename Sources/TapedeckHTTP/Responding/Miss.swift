/// Explains why no interaction matches a request: the near misses, their differences, and commands that would help.
public struct Miss: Sendable, Equatable {
  /// A near miss.
  public struct Nearest: Sendable, Equatable {
    /// The interaction's file in the cassette.
    public var file: String
    /// The interaction's method and target.
    public var request: String
    public var differences: [Difference]

    package init(file: String, request: String, differences: [Difference]) {
      self.file = file
      self.request = request
      self.differences = differences
    }
  }

  /// A difference between the request and a recording.
  public struct Difference: Sendable, Equatable {
    /// Like `query "page"`, `$.user.name` or `method`.
    public var field: String
    /// `nil` if the field is absent, as in `received`.
    public var recorded: String?
    public var received: String?
    /// The `--match` word that would ignore it; `nil` if there is none.
    package var ignoredBy: String?

    package init(field: String, recorded: String?, received: String?, ignoredBy: String? = nil) {
      self.field = field
      self.recorded = recorded
      self.received = received
      self.ignoredBy = ignoredBy
    }
  }

  /// A command that would help, and its purpose.
  public struct Fix: Sendable, Equatable {
    public var because: String
    public var command: String

    package init(because: String, command: String) {
      self.because = because
      self.command = command
    }
  }

  public var method: String
  /// Path and query.
  public var target: String
  /// One sentence.
  public var detail: String
  /// The nearest first; three at most.
  public var nearest: [Nearest]
  /// The best first.
  public var fixes: [Fix]
  /// The request as a command line.
  public var curl: String
  /// Identifies the kind of miss; the log shows each kind in full once.
  package var sort: String

  package init(
    method: String, target: String, detail: String, nearest: [Nearest], fixes: [Fix], curl: String,
    sort: String
  ) {
    self.method = method
    self.target = target
    self.detail = detail
    self.nearest = nearest
    self.fixes = fixes
    self.curl = curl
    self.sort = sort
  }
}

extension Miss.Difference: CustomStringConvertible {
  public var description: String { "\(field): \(recorded ?? "(absent)") → \(received ?? "(absent)")" }
}

extension Miss {
  private static let listedDifferences = 8

  /// The lines of the log below that of the request: the nearest in full, others with the names of their differences.
  package var lines: [String] {
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
