/// A verb of the command: what it does, and what help says about it. Each stands in a file of its own in `Verbs`.
struct Verb: Sendable {
  /// The headings of the overview.
  enum Group: String, CaseIterable {
    case proxy = "A proxy"
    case cassettes = "Cassettes"
    case more = "More"
  }

  let name: String
  /// Also understood: the words of other tools.
  var aliases: [String] = []
  let group: Group
  let summary: String
  /// What may follow the name.
  let synopsis: String
  var options: [Option] = []
  /// Whole command lines, shown by help as they are typed.
  var examples: [String] = []
  /// What else a user must know, in whole lines.
  var notes = ""
  /// Whether a command to run may follow.
  var takesCommand = false
  let run: @Sendable (Arguments) throws -> ExitCode

  var usage: String { synopsis.isEmpty ? "tapedeck \(name)" : "tapedeck \(name) \(synopsis)" }
}

extension Verb {
  /// Every verb, in the order help lists them.
  static let all: [Verb] = [
    .record,
    .replay,
    .serve,
    .runCommand,
    .list,
    .show,
    .diff,
    .verify,
    .trim,
    .merge,
    .promote,
    .scan,
    .lint,
    .import,
    .export,
    .control,
    .schema,
    .demo,
    .help,
  ]

  static func named(_ word: String) -> Verb? {
    all.first { $0.name == word || $0.aliases.contains(word) }
  }
}
