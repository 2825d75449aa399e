/// The completions for bash: a function with a case for each verb.
enum BashCompletion {
  static var script: String {
    """
    # Completions of tapedeck \(CommandLineTool.version) for bash.
    _tapedeck_words() { COMPREPLY=($(compgen -W "$1" -- "$current")); }
    _tapedeck_files() {
      compopt -o filenames 2>/dev/null
      local IFS=$'\\n'
      COMPREPLY+=($(compgen -f -- "$current"))
    }
    # A bare name is a folder or file in Cassettes/, anything with a slash is a path.
    _tapedeck_cassettes() {
      local each
      if [[ $current == */* ]]; then _tapedeck_files; return; fi
      for each in \(CassettePath.folder)/"$current"*; do
        if [[ -e $each ]]; then COMPREPLY+=("${each##*/}"); fi
      done
    }
    _tapedeck() {
      local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]} options i
      COMPREPLY=()
      if ((COMP_CWORD == 1)); then
        _tapedeck_words \((Verb.all.map(\.name) + ["--help", "--version"]).joined(separator: " ").shellQuoted)
        return
      fi
      if [[ $current == '=' ]]; then current=
      elif [[ $previous == '=' ]]; then previous=${COMP_WORDS[COMP_CWORD - 2]}
      fi
      case $verb in
    \(Verb.all.map(branch).joined())  esac
      if [[ $current == -* ]]; then COMPREPLY=($(compgen -W "$options" -- "$current")); fi
    }
    complete -F _tapedeck tapedeck

    """
  }

  private static func branch(_ verb: Verb) -> String {
    let options = verb.allOptions
    var text = "  \(verb.names.joined(separator: "|")))\n"
    text +=
      "    options=\(options.flatMap { [$0.name] + [$0.short].compactMap(\.self) }.joined(separator: " ").shellQuoted)\n"
    if verb.takesCommand { text += command }
    text += "    case $previous in\n"
    text += options.compactMap(value).joined()
    text += "    esac\n"
    text += "    if [[ $current != -* ]]; then \(action(verb.completedArguments)); fi ;;\n"
    return text
  }

  private static func value(_ option: Option) -> String? {
    guard let value = option.completedValue else { return nil }
    let names = [option.name] + option.aliases
    return "      \(names.joined(separator: "|"))) \(action(value)); return ;;\n"
  }

  /// What follows `--` is completed as a command line of its own, by bash-completion if it is loaded.
  private static let command = """
        for ((i = 2; i < COMP_CWORD; i++)); do
          if [[ ${COMP_WORDS[i]} == -- ]]; then
            if declare -F _command_offset >/dev/null; then _command_offset $((i + 1))
            elif ((COMP_CWORD == i + 1)); then COMPREPLY=($(compgen -c -- "$current"))
            else _tapedeck_files
            fi
            return
          fi
        done

    """

  private static func action(_ value: CompletedValue) -> String {
    switch value {
    case .nothing: ":"
    case .words(let words): "_tapedeck_words \(words.joined(separator: " ").shellQuoted)"
    case .cassettes: "_tapedeck_cassettes"
    case .files: "_tapedeck_files"
    case .cassettesAndFiles: "_tapedeck_cassettes; _tapedeck_files"
    case .verbs: "_tapedeck_words \(Verb.all.map(\.name).joined(separator: " ").shellQuoted)"
    }
  }
}
