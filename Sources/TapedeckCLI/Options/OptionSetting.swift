/// The value of an option, and where it came from.
struct OptionSetting: Equatable, Sendable {
  enum Source: Equatable, Sendable {
    case commandLine
    /// A variable of the environment, by its name.
    case environment(String)
    /// A configuration file, by its path.
    case file(String)
    /// `CI` is set.
    case ci
    case `default`
  }

  /// Several for a repeatable option; a switch that is on has an empty text.
  var values: [String]
  let source: Source

  init(_ values: [String], from source: Source) { (self.values, self.source) = (values, source) }
}

extension OptionSetting.Source: CustomStringConvertible {
  var description: String {
    switch self {
    case .commandLine: "command line"
    case .environment(let variable): variable
    case .file(let path): path
    case .ci: "CI"
    case .default: "default"
    }
  }

  /// How the user wrote the option there.
  func name(_ option: Option) -> String {
    switch self {
    case .environment(let variable): variable
    case .file(let path): "\(option.configurationName) in \(path)"
    case .commandLine, .ci, .default: option.name
    }
  }
}

/// A source of values for options that the command line leaves out.
protocol OptionDefaults {
  /// `nil` if it says nothing about the option.
  func setting(of option: Option) throws(UsageError) -> OptionSetting?
}
