/// The texts of `--help` and `help VERB`.
enum Help {
  static var overview: String {
    let verbs = Verb.allCases.map { "  \(padded($0.rawValue, 8))\($0.summary)\n" }.joined()
    return """
      tapedeck records what a real HTTP backend says, replays it offline, and lets you override any endpoint.

      \(Verb.allCases.filter { $0 != .help }.map { "  " + $0.usage + "\n" }.joined())
      Verbs:
      \(verbs)
      A first session:
        tapedeck record --upstream https://api.example.com --cassette example
        curl http://127.0.0.1:8080/users/1          then stop tapedeck with Ctrl-C
        tapedeck replay --cassette example

      Exit codes: 0 good, 1 something broke, 2 usage, 3 unmatched requests.
      More: tapedeck help VERB

      """
  }

  static func text(for verb: Verb) -> String {
    var text = "\(verb.usage)\n\n\(verb.summary.prefix(1).uppercased())\(verb.summary.dropFirst()).\n"
    if !verb.options.isEmpty {
      text += "\nOptions:\n"
      for option in verb.options {
        text +=
          "  \(padded([option.name, option.value].compactMap { $0 }.joined(separator: " "), 24))\(option.help)\n"
      }
    }
    return text
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.utf8.count))
  }
}
