/// One option of the command, as it is parsed and as help shows it. Each stands beside the verbs that take it.
struct Option: Sendable {
  var name: String
  /// The name of its value in help; nil for a switch.
  var value: String?
  var help: String
  var aliases: [String] = []
  /// Whether it may be given several times.
  var isRepeatable = false
}

extension Option {
  init(name: String, help: String) { self.init(name: name, value: nil, help: help) }

  static let json = Option(name: "--json", help: "for machines")
}
