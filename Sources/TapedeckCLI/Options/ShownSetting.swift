internal import TapedeckHTTP

/// A setting as `--print-config` shows it, without credentials.
struct ShownSetting {
  private let values: [String]
  let source: String

  private static let credentials: Set<String> = Set(
    [Option.adminToken, .proxyAuth, .upstreamHeader, .header, .upstreamProxy].map(\.name))

  init(_ option: Option, _ setting: OptionSetting) {
    let isHidden = Self.credentials.contains(option.name) && setting.source != .default
    let isOn = setting.values.isEmpty ? "false" : "true"
    values = isHidden ? ["(not shown)"] : option.value == nil ? [isOn] : setting.values
    source = "\(setting.source)"
  }

  var text: String { values.isEmpty ? "-" : values.joined(separator: ", ") }

  /// The value is a text, a boolean for a switch, an array where the option is repeatable, or null.
  func json(of option: Option) -> JSONValue {
    let value: JSONValue =
      option.value == nil
      ? .bool(values == ["true"])
      : option.isRepeatable ? JSONValue(values) : JSONValue(values.first)
    return ["name": JSONValue(option.configurationName), "value": value, "from": JSONValue(source)]
  }
}
