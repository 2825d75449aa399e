/// The options of every verb.
extension Option {
  static let color = Option(
    "--color", "WHEN", help: "colours: auto (on a terminal, without NO_COLOR), always or never",
    choices: ColorChoice.allCases.map(\.rawValue), default: "auto")
  static let config = Option(
    "--config", "FILE", help: "JSON file of options", default: "tapedeck.json, if it is there")
  static let printConfig = Option(
    "--print-config", help: "print what is in force and where each value came from, and end")
  static let help = Option("--help", help: "explain the verb, with --all all of its options", aliases: ["-h"])

  static let general: [Option] = [.color, .config, .printConfig, .help]
}

enum ColorChoice: String, CaseIterable { case auto, always, never }
