extension ManualPage {
  /// tapedeck(1).
  static var command: ManualPage {
    let verbs = Verb.Group.allCases.flatMap { group -> [Block] in
      [.subheading(group.rawValue)]
        + Verb.all.filter { $0.group == group }.map { .item("tapedeck-\($0.name)(1)", $0.purpose) }
    }
    return ManualPage(
      name: "tapedeck", section: 1, summary: "record and replay HTTP, with overrides",
      parts: [
        Part(heading: "Synopsis", blocks: [.literal(["tapedeck VERB [options]", "tapedeck help VERB"])]),
        Part(
          heading: "Description",
          blocks: [
            .paragraph(
              "Records responses of a real HTTP backend, replays them offline, and lets you override any endpoint."
            )
          ]),
        Part(heading: "Verbs", blocks: verbs),
        Part(
          heading: "Options",
          blocks: [.item("-V, --version", "Prints the version, and those of the libraries.")]
            + items(Option.general)),
        settings, exitStatus,
        Part(heading: "See also", blocks: [.paragraph("tapedeck-overrides(5), tapedeck-cassette(5)")]),
      ])
  }

  /// tapedeck-VERB(1).
  init(_ verb: Verb) {
    self.init(name: "tapedeck-\(verb.name)", section: 1, summary: verb.summary)
    parts = [
      Part(heading: "Synopsis", blocks: [.literal([verb.usage])]),
      Part(
        heading: "Description",
        blocks: [.paragraph(verb.purpose)]
          + (verb.aliases.isEmpty ? [] : [.paragraph("Aliases: \(verb.aliases.joined(separator: ", ")).")])
          + Self.notes(verb.notes)),
      Part(
        heading: "Options",
        blocks: Verb.headings(verb.allOptions).flatMap { heading, options in
          [.subheading(heading.rawValue)] + Self.items(options)
        }),
      Self.settings,
      Part(heading: "Examples", blocks: [.literal(verb.examples)]),
      Self.exitStatus,
      Part(
        heading: "See also", blocks: [.paragraph("tapedeck(1), tapedeck-overrides(5), tapedeck-cassette(5)")]),
    ]
  }

  private static func items(_ options: [Option]) -> [Block] {
    options.map { option in
      let names =
        [option.short, option.name].compactMap(\.self) + option.aliases.filter { $0 != option.short }
      let term = names.joined(separator: ", ") + (option.value.map { " \($0)" } ?? "")
      return .item(term, option.sentence)
    }
  }

  /// Indented lines of notes stay as they are.
  private static func notes(_ text: String) -> [Block] {
    var blocks: [Block] = []
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for paragraph in lines.split(whereSeparator: \.isEmpty) {
      var lines = paragraph.map(String.init)[...]
      while let line = lines.first {
        let isIndented = line.hasPrefix("  ")
        let run = lines.prefix { $0.hasPrefix("  ") == isIndented }
        blocks.append(isIndented ? .literal(Array(run)) : .paragraph(run.joined(separator: "\n")))
        lines = lines.dropFirst(run.count)
      }
    }
    return blocks
  }

  private static let settings = Part(
    heading: "Environment and files",
    blocks: [
      .paragraph(
        "Every option has a variable, such as TAPEDECK_UPSTREAM for --upstream: 1 or 0 for a switch, a line for each "
          + "value of a repeatable option. tapedeck.json in the current folder, or the file of --config, is a JSON object "
          + "of the same names without dashes. The command line wins over the environment, and both over the file."
      ),
      .item("CI", "Set to anything but 0, false or no, it makes serve and run behave as with --mode none."),
      .item("NO_COLOR", "Switches colours off."),
    ])

  private static let exitStatus = Part(
    heading: "Exit status", blocks: [.paragraph("\(ExitCode.legend).")])
}

extension Option {
  /// Its explanation as a sentence. A word that the user types keeps its case.
  fileprivate var sentence: String {
    let isTyped = choices.contains { help.hasPrefix($0) }
    return isTyped ? "\(explanation)." : "\(explanation.prefix(1).uppercased())\(explanation.dropFirst())."
  }
}
