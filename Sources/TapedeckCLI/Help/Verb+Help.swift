extension Verb {
  /// The text of `--help`: the purpose of the command, a first session, and all verbs, on one screen.
  static var overview: String {
    """
    tapedeck records responses of a real HTTP backend, replays them offline, and lets you override any endpoint.

      tapedeck record example --upstream https://api.example.com    until Ctrl-C
      curl http://127.0.0.1:8080/users/1                            meanwhile
      tapedeck replay example                                       the same, offline

    \(Group.allCases.map(section).joined(separator: "\n"))
    'tapedeck help VERB' explains a verb. Each option is also read from the environment (TAPEDECK_PORT) and tapedeck.json.
    Exit codes: \(ExitCode.legend).

    """
  }

  private static func section(_ group: Group) -> String {
    let verbs = all.filter { $0.group == group }
    let width = (verbs.map(\.name.width).max() ?? 0) + 2
    return "\(group.rawValue)\n"
      + verbs.map { "  \($0.name.padded(to: max(8, width)))\($0.summary)\n" }.joined()
  }

  /// The most options that are all shown without `--all`.
  private static let shortCount = 10

  /// The text of `help VERB`.
  /// - Parameter isWhole: whether to show every option, instead of the common ones of a verb that has many.
  func helpText(isWhole: Bool = false) -> String {
    let isShort = options.count <= Self.shortCount
    let shown = isWhole ? allOptions : isShort ? options : options.filter(\.isCommon)
    var text = "\(usage)\n\n\(purpose)\n"
    if !notes.isEmpty { text += "\n\(notes.fitted(to: Terminal.outputColumns))\n" }
    text += isShort && !isWhole ? Self.plain(shown) : Self.grouped(shown)
    if !isWhole {
      let rest = isShort ? "of every verb" : "not shown here"
      text += "\nThe options \(rest): tapedeck help \(name) --all\n"
    }
    if isWhole {
      text += """

        Every option can also be set in the environment, as \(Option.variablePrefix)UPSTREAM for --upstream, or in
        \(ConfigurationFile.standardPath), as {"upstream": "https://api.example.com"}. The command line wins.

        """
    }
    if !examples.isEmpty {
      text += "\nExample\(examples.count > 1 ? "s" : ""):\n" + examples.map { "  \($0)\n" }.joined()
    }
    if !aliases.isEmpty { text += "\nAliases: \(aliases.joined(separator: ", ")).\n" }
    return text
  }

  /// A sentence.
  var purpose: String { "\(summary.prefix(1).uppercased())\(summary.dropFirst())." }

  /// Options by heading, without empty ones.
  static func headings(_ options: [Option]) -> [(heading: OptionHeading, options: [Option])] {
    OptionHeading.allCases.map { heading in (heading, options.filter { OptionHeading($0) == heading }) }
      .filter { !$0.options.isEmpty }
  }

  private static func plain(_ options: [Option]) -> String {
    options.isEmpty ? "" : "\nOptions:\n" + lines(options, width: width(options))
  }

  private static func grouped(_ options: [Option]) -> String {
    headings(options).map { "\n\($0.heading.rawValue):\n" + lines($0.options, width: width(options)) }
      .joined()
  }

  private static func width(_ options: [Option]) -> Int { (options.map(\.usage.width).max() ?? 0) + 2 }

  private static func lines(_ options: [Option], width: Int) -> String {
    let columns = max(40, (Terminal.outputColumns ?? .max) - 2 - width)
    let margin = "\n" + String(repeating: " ", count: 2 + width)
    return options.map { option in
      let text = option.explanation.wrapped(to: columns).joined(separator: margin)
      return "  \(option.usage.padded(to: width))\(text)\n"
    }.joined()
  }
}

extension Option {
  /// Its one-letter form, such as `-q`.
  var short: String? { aliases.first { $0.utf8.count == 2 } }

  /// As in `-q, --quiet` or `--port N`.
  var usage: String {
    let names = [short, name].compactMap(\.self).joined(separator: ", ")
    return value.map { "\(names) \($0)" } ?? names
  }

  /// The help with what else holds: the default, and whether it can be repeated.
  var explanation: String {
    help + (defaultValue.map { " (\($0))" } ?? "") + (isRepeatable ? "; repeatable" : "")
  }
}

extension String {
  /// Lines of at most this width, unless a word is longer.
  fileprivate func wrapped(to columns: Int) -> [String] {
    var lines: [String] = []
    for word in split(separator: " ") {
      if let last = lines.last, last.width + 1 + word.count <= columns {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}
