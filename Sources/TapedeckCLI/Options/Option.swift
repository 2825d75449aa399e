/// A command-line option and its help.
struct Option: Sendable {
  let name: String
  /// The name of its value in help; `nil` for a switch.
  let value: String?
  let help: String
  let aliases: [String]
  let isRepeatable: Bool
  /// The only value that a switch may have; most take none.
  let optionalValue: String?
  /// The words that are usual as its value, for completion.
  let choices: [String]
  /// The value that holds if none is given; `nil` if there is none, or if it depends on other options.
  let defaultValue: String?

  init(
    _ name: String, _ value: String? = nil, help: String, aliases: [String] = [], isRepeatable: Bool = false,
    choices: [String] = [], default: String? = nil, optionalValue: String? = nil
  ) {
    (self.name, self.value, self.help, self.optionalValue) = (name, value, help, optionalValue)
    (self.aliases, self.isRepeatable) = (aliases, isRepeatable)
    let isList = value?.contains("|") ?? false
    self.choices = isList ? value?.split(separator: "|").map(String.init) ?? [] : choices
    defaultValue = `default`
  }

  static let json = Option("--json", help: "print JSON, for programs")
}
