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
  /// The words that its first argument may be, for completion.
  var choices: [String] = []
  let run: @Sendable (Arguments) throws -> ExitCode

  var usage: String { synopsis.isEmpty ? "tapedeck \(name)" : "tapedeck \(name) \(synopsis)" }

  /// With those of every verb.
  var allOptions: [Option] { options + Option.general }
  /// Whether its first word is the cassette, as `--cassette` is.
  var namesCassette: Bool { group == .proxy && options.contains { $0.name == Option.cassette.name } }

  /// In the order of the overview.
  static let all: [Verb] = [
    .record, .replay, .serve, .runCommand, .list, .show, .diff, .verify, .trim, .merge, .copy, .promote,
    .scan,
    .lint, .import, .export, .control, .inspector, .schema, .authority, .demo, .completion, .help,
  ]

  static func named(_ word: String) -> Verb? {
    all.first { $0.name == word || $0.aliases.contains(word) }
  }
}
