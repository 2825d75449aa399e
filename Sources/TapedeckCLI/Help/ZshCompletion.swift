/// The completions for zsh: a call of `_arguments` for each verb.
enum ZshCompletion {
  static var script: String {
    """
    #compdef tapedeck
    # Completions of tapedeck \(CommandLineTool.version) for zsh.
    # A bare name is a folder or file in Cassettes/, anything with a slash is a path.
    _tapedeck_cassettes() {
      if [[ $PREFIX == */* ]]; then _files; return; fi
      local -a names
      names=(\(CassettePath.folder)/*(N:t))
      compadd -a names
    }
    _tapedeck_cassettes_and_files() { _tapedeck_cassettes; _files }
    # What follows -- is completed as a command line of its own.
    _tapedeck_command() {
      local end=$words[(i)--]
      ((end < CURRENT)) || return 1
      shift $end words
      ((CURRENT -= end))
      _normal
    }
    _tapedeck_verbs() {
      local -a verbs
      verbs=(
    \(Verb.all.map { "    \("\(escaped($0.name)):\($0.summary)".shellQuoted)\n" }.joined())  )
      _describe verb verbs
    }
    _tapedeck() {
      local context state state_descr line
      local -A opt_args
      if ((CURRENT == 2)); then
        if [[ $PREFIX == -* ]]; then compadd -- --help --version; else _tapedeck_verbs; fi
        return
      fi
      local verb=$words[2]
      shift words
      ((CURRENT--))
      case $verb in
    \(Verb.all.map(branch).joined())  esac
    }
    if [[ $funcstack[1] == _tapedeck ]]; then _tapedeck "$@"; else compdef _tapedeck tapedeck; fi

    """
  }

  private static func branch(_ verb: Verb) -> String {
    let specifications = verb.allOptions.flatMap(specifications) + [arguments(verb)].compactMap(\.self)
    // The options of the command are its own.
    let command = verb.takesCommand ? "_tapedeck_command && return\n    " : ""
    return "  \(verb.names.joined(separator: "|")))\n    \(command)_arguments -S -s \\\n"
      + specifications.map { "      \($0.shellQuoted)" }.joined(separator: " \\\n") + " ;;\n"
  }

  private static func specifications(_ option: Option) -> [String] {
    let names = [option.name, option.short].compactMap(\.self)
    let once = option.isRepeatable ? "*" : "(\(names.joined(separator: " ")))"
    let explanation = "[\(escaped(option.help))]"
    return names.map { name in
      guard let value = option.value, let completed = option.completedValue else {
        return once + name + explanation
      }
      let separator = name.hasPrefix("--") ? "=" : "+"
      return "\(once)\(name)\(separator)\(explanation):\(escaped(value)):\(action(completed))"
    }
  }

  private static func arguments(_ verb: Verb) -> String? {
    if verb.takesCommand { return "1:cassette:_tapedeck_cassettes" }
    let action = action(verb.completedArguments)
    return action == " " ? nil : "*:argument:\(action)"
  }

  private static func action(_ value: CompletedValue) -> String {
    switch value {
    case .nothing: " "
    case .words(let words): "(\(words.map(escaped).joined(separator: " ")))"
    case .cassettes: "_tapedeck_cassettes"
    case .files: "_files"
    case .cassettesAndFiles: "_tapedeck_cassettes_and_files"
    case .verbs: "_tapedeck_verbs"
    }
  }

  /// For a specification, where colons and brackets have a meaning.
  private static func escaped(_ text: String) -> String {
    text.map { "\\:[]".contains($0) ? "\\\($0)" : "\($0)" }.joined()
  }
}
