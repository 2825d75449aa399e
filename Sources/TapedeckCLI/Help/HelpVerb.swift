extension Option {
  static let all = Option("--all", help: "show every option of the verb")
  static let manual = Option("--man", "FOLDER", help: "write the manual pages into this folder")
}

extension Verb {
  static let help = Verb(
    name: "help", group: .more, summary: "explain a verb", synopsis: "[VERB] [--all] | --man FOLDER",
    options: [.all, .manual],
    examples: [
      "tapedeck help record", "tapedeck help record --all", "tapedeck help --man /usr/local/share/man",
    ],
    notes: """
      --man writes tapedeck(1), a page for each verb, tapedeck-overrides(5) and tapedeck-cassette(5) into the subfolders
      man1 and man5.
      """
  ) { arguments in
    let word = try arguments.words("verb", required: 0).first
    if let folder = arguments[.manual] {
      guard word == nil else { throw UsageError("--man writes the pages of all verbs; leave the verb out") }
      try ManualPage.writeAll(into: folder)
      return .good
    }
    guard let word else {
      Terminal.out(overview)
      return .good
    }
    guard let verb = named(word) else {
      throw UsageError(
        "no help for \(word.debugDescription)\(word.suggestion(among: all.map(\.name))); verbs are "
          + all.map(\.name).joined(separator: ", "))
    }
    Terminal.out(verb.helpText(isWhole: arguments.has(.all)))
    return .good
  }
}
