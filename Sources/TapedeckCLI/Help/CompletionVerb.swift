extension Verb {
  static let completion = Verb(
    name: "completion", group: .more, summary: "print the completions for a shell", synopsis: "bash|zsh|fish",
    examples: [
      "source <(tapedeck completion bash)",
      "tapedeck completion zsh > ~/.zsh/completions/_tapedeck",
      "tapedeck completion fish > ~/.config/fish/completions/tapedeck.fish",
    ],
    notes: """
      Completes verbs, options, their values, files, and the names of the cassettes in Cassettes/. The examples belong
      into ~/.bashrc, into a folder of zsh's fpath, or into fish's own folder.
      """,
    choices: Shell.allCases.map(\.rawValue)
  ) { arguments in
    let word = try arguments.words("shell", required: 1)[0]
    guard let shell = Shell(rawValue: word) else {
      let known = Shell.allCases.map(\.rawValue)
      throw UsageError(
        "there are completions for \(known.joined(separator: ", ")), not for \(word.debugDescription)"
          + word.suggestion(among: known))
    }
    Terminal.out(shell.completions)
    return .good
  }
}

/// A shell that completes command lines.
enum Shell: String, CaseIterable {
  case bash, zsh, fish

  var completions: String {
    switch self {
    case .bash: BashCompletion.script
    case .zsh: ZshCompletion.script
    case .fish: FishCompletion.script
    }
  }
}
