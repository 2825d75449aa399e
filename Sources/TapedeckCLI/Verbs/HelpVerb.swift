extension Verb {
  static let help = Verb(
    name: "help", group: .more, summary: "tell more about a verb", synopsis: "[VERB]",
    examples: ["tapedeck help record"]
  ) { arguments in
    guard let word = try arguments.words("verb", required: 0).first else {
      Terminal.out(Help.overview)
      return .good
    }
    guard let verb = Verb.named(word) else {
      throw UsageError("no help for \(word.debugDescription)\(Spelling.hint(word, among: all.map(\.name)))")
    }
    Terminal.out(Help.text(for: verb))
    return .good
  }
}
