/// The texts of `--help` and `help VERB`.
enum Help {
  /// One screen: what it is for, a first session, and every verb.
  static var overview: String {
    """
    tapedeck records what a real HTTP backend says, replays it offline, and lets you override any endpoint.

      tapedeck record --upstream https://api.example.com --cassette example    until Ctrl-C
      curl http://127.0.0.1:8080/users/1                                       meanwhile
      tapedeck replay --cassette example                                       the same, offline

    \(Verb.Group.allCases.map(section).joined(separator: "\n"))
    Exit codes: \(ExitCode.legend).

    """
  }

  private static func section(_ group: Verb.Group) -> String {
    let verbs = Verb.all.filter { $0.group == group }
    return "\(group.rawValue)\n" + verbs.map { "  \(padded($0.name, 8))\($0.summary)\n" }.joined()
  }

  static func text(for verb: Verb) -> String {
    var text = "\(verb.usage)\n\n\(verb.summary.prefix(1).uppercased())\(verb.summary.dropFirst()).\n"
    if !verb.notes.isEmpty { text += "\n\(verb.notes)\n" }
    if !verb.options.isEmpty { text += "\nOptions:\n" + options(verb.options) }
    if !verb.examples.isEmpty {
      text += "\nExample\(verb.examples.count > 1 ? "s" : ""):\n"
      text += verb.examples.map { "  \($0)\n" }.joined()
    }
    if !verb.aliases.isEmpty { text += "\nAlso understood: \(verb.aliases.joined(separator: ", ")).\n" }
    return text
  }

  private static func options(_ options: [Option]) -> String {
    let names = options.map { [$0.name, $0.value].compactMap { $0 }.joined(separator: " ") }
    let width = (names.map(\.utf8.count).max() ?? 0) + 2
    return zip(names, options).map { name, option in
      "  \(padded(name, width))\(option.help)\(option.isRepeatable ? "; repeatable" : "")\n"
    }.joined()
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.utf8.count))
  }
}
