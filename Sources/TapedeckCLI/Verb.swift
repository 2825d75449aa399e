/// A verb of the command and its help.
struct Verb: Sendable {
  /// The headings of the overview.
  enum Group: String, CaseIterable {
    case proxy = "A proxy"
    case cassettes = "Cassettes"
    case more = "More"
  }

  let name: String
  /// Its names in other tools.
  var aliases: [String] = []
  let group: Group
  let summary: String
  /// The arguments in the usage line.
  let synopsis: String
  var options: [Option] = []
  /// Complete command lines.
  var examples: [String] = []
  /// Paragraphs of help.
  var notes = ""
  /// Whether a command to run may follow.
  var takesCommand = false
  let run: @Sendable (Arguments) throws -> ExitCode

  var usage: String { synopsis.isEmpty ? "tapedeck \(name)" : "tapedeck \(name) \(synopsis)" }

  /// In the order of the overview.
  static let all: [Verb] = [
    .record, .replay, .serve, .runCommand, .list, .show, .diff, .verify, .trim, .merge, .promote, .scan,
    .lint, .import, .export, .control, .schema, .demo, .help,
  ]

  static func named(_ word: String) -> Verb? {
    all.first { $0.name == word || $0.aliases.contains(word) }
  }
}

// MARK: Help

extension Verb {
  /// The text of `--help`: the purpose of the command, a first session, and all verbs, on one screen.
  static var overview: String {
    """
    tapedeck records responses of a real HTTP backend, replays them offline, and lets you override any endpoint.

      tapedeck record --upstream https://api.example.com --cassette example    until Ctrl-C
      curl http://127.0.0.1:8080/users/1                                       meanwhile
      tapedeck replay --cassette example                                       the same, offline

    \(Group.allCases.map(section).joined(separator: "\n"))
    Exit codes: \(ExitCode.legend).

    """
  }

  private static func section(_ group: Group) -> String {
    let verbs = all.filter { $0.group == group }
    return "\(group.rawValue)\n" + verbs.map { "  \($0.name.padded(to: 8))\($0.summary)\n" }.joined()
  }

  /// The text of `help VERB`.
  var helpText: String {
    var text = "\(usage)\n\n\(summary.prefix(1).uppercased())\(summary.dropFirst()).\n"
    if !notes.isEmpty { text += "\n\(notes)\n" }
    if !options.isEmpty { text += "\nOptions:\n" + optionLines }
    if !examples.isEmpty {
      text += "\nExample\(examples.count > 1 ? "s" : ""):\n" + examples.map { "  \($0)\n" }.joined()
    }
    if !aliases.isEmpty { text += "\nAliases: \(aliases.joined(separator: ", ")).\n" }
    return text
  }

  private var optionLines: String {
    let names = options.map { [$0.name, $0.value].compactMap { $0 }.joined(separator: " ") }
    let width = (names.map(\.utf8.count).max() ?? 0) + 2
    return zip(names, options).map { name, option in
      "  \(name.padded(to: width))\(option.help)\(option.isRepeatable ? "; repeatable" : "")\n"
    }.joined()
  }

  static let help = Verb(
    name: "help", group: .more, summary: "explain a verb", synopsis: "[VERB]",
    examples: ["tapedeck help record"]
  ) { arguments in
    guard let word = try arguments.words("verb", required: 0).first else {
      Terminal.out(overview)
      return .good
    }
    guard let verb = named(word) else {
      throw UsageError(
        "no help for \(word.debugDescription)\(word.suggestion(among: all.map(\.name)))")
    }
    Terminal.out(verb.helpText)
    return .good
  }
}
