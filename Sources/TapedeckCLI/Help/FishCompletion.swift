internal import TapedeckHTTP

/// The completions for fish: a line for each option of each verb.
enum FishCompletion {
  static var script: String {
    let verbs = Verb.all.map { verb in
      line("not __fish_seen_subcommand_from \(all)", "-a \(verb.name) -d \(quoted(verb.summary))")
    }
    return """
      # Completions of tapedeck \(CommandLineTool.version) for fish.
      # A bare name is a folder or file in Cassettes/, anything with a slash is a path.
      function __tapedeck_cassettes
        if string match -q '*/*' -- (commandline -ct)
          __fish_complete_path (commandline -ct)
        else
          for each in \(CassettePath.folder)/*
            path basename $each
          end
        end
      end
      # What follows -- is a command line of its own.
      function __tapedeck_command
        set -l words (commandline -opc) (commandline -ct)
        set -l end (contains -i -- -- $words); or return 1
        complete -C (string join ' ' -- $words[(math $end + 1)..-1])
      end
      complete -c tapedeck -f
      \(line("not __fish_seen_subcommand_from \(all)", "-l help -d 'explain the command'"))
      \(line("not __fish_seen_subcommand_from \(all)", "-s V -l version -d 'print the version'"))
      \((verbs + Verb.all.flatMap(lines)).joined(separator: "\n"))

      """
  }

  private static let all = Verb.all.flatMap(\.names).joined(separator: " ")

  private static func lines(_ verb: Verb) -> [String] {
    let condition = "__fish_seen_subcommand_from \(verb.names.joined(separator: " "))"
    let own = verb.takesCommand ? "\(condition); and not contains -- -- (commandline -opc)" : condition
    let options = verb.allOptions.map { line(own, words($0)) }
    let command =
      verb.takesCommand
      ? [line("\(condition); and contains -- -- (commandline -opc)", "-a '(__tapedeck_command)'")] : []
    return options + [action(verb.completedArguments).map { line(own, $0) }].compactMap(\.self) + command
  }

  private static func words(_ option: Option) -> String {
    let name = option.name.dropFirst(2)
    let short = option.short.map { "-s \($0.dropFirst()) " } ?? ""
    let value =
      option.completedValue.map { "\($0 == .files ? "-r" : "-x") \(action($0).map { "\($0) " } ?? "")" } ?? ""
    return "\(short)-l \(name) \(value)-d \(quoted(option.help))"
  }

  private static func line(_ condition: String, _ words: String) -> String {
    "complete -c tapedeck -n \(quoted(condition)) \(words)"
  }

  /// `nil` where nothing is offered.
  private static func action(_ value: CompletedValue) -> String? {
    switch value {
    case .nothing: nil
    case .words(let words): "-a \(quoted(words.joined(separator: " ")))"
    case .cassettes: "-a '(__tapedeck_cassettes)'"
    case .files: "-F"
    case .cassettesAndFiles: "-F -a '(__tapedeck_cassettes)'"
    case .verbs: "-a \(quoted(Verb.all.map(\.name).joined(separator: " ")))"
    }
  }

  /// In single quotes, where fish knows two escapes.
  private static func quoted(_ text: String) -> String {
    "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
  }
}
