internal import TapedeckHTTP

/// Values of options from the environment: `TAPEDECK_PORT` is that of `--port`. Each line is a value of a repeatable
/// option, and `0`, `false` or `no` turns a switch off that a configuration file turns on.
struct EnvironmentDefaults: OptionDefaults {
  /// A variable; `nil` if it is absent or empty.
  let variable: (String) -> String?

  func setting(of option: Option) throws(UsageError) -> OptionSetting? {
    let name = option.variable
    // Kubernetes describes a service named tapedeck by TAPEDECK_PORT=tcp://10.0.0.1:8080.
    guard let text = variable(name), !text.hasPrefix("tcp://") else { return nil }
    guard option.value == nil else {
      let lines = option.isRepeatable ? text.split(whereSeparator: \.isNewline).map(String.init) : [text]
      return OptionSetting(lines, from: .environment(name))
    }
    switch text.lowercased() {
    case "1", "true", "yes": return OptionSetting([""], from: .environment(name))
    case "0", "false", "no": return OptionSetting([], from: .environment(name))
    case option.optionalValue: return OptionSetting([text.lowercased()], from: .environment(name))
    default: throw UsageError("\(name) takes 1 or 0, not \(text.debugDescription)")
    }
  }

  /// Variables that `run` sets for its command.
  private static let others = ["TAPEDECK_URL", "TAPEDECK_PROXY", "TAPEDECK_CA"]

  /// Notices about variables that are read by no verb, and nearly have the name of one that is.
  static func notices(_ names: [String]) -> [String] {
    let prefix = Option.variablePrefix
    let known = Option.every.map { String($0.variable.dropFirst(prefix.count)) }
    return names.filter { $0.hasPrefix(prefix) && !others.contains($0) }.sorted().compactMap { name in
      let rest = String(name.dropFirst(prefix.count))
      guard !known.contains(rest), let nearest = rest.nearest(among: known) else { return nil }
      return "\(name) is not read; did you mean \(prefix)\(nearest)?"
    }
  }
}

/// `CI` keeps `serve` and `run` from recording, unless the command line or the environment says otherwise.
struct ContinuousIntegrationDefaults: OptionDefaults {
  func setting(of option: Option) -> OptionSetting? {
    option.name == Option.mode.name ? OptionSetting(["none"], from: .ci) : nil
  }
}

extension Option {
  static let variablePrefix = "TAPEDECK_"

  /// Its name without dashes, as in a configuration file.
  var configurationName: String { String(name.drop { $0 == "-" }) }
  /// The variable of the environment that holds its default.
  var variable: String { Self.variablePrefix + configurationName.uppercased().replacing("-", with: "_") }

  /// The options of all verbs, each name once.
  static var every: [Option] {
    var names: Set<String> = []
    return Verb.all.flatMap(\.allOptions).filter { names.insert($0.name).inserted }
  }
}
