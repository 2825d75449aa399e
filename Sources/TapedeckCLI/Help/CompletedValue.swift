internal import TapedeckHTTP

/// What a shell offers in the place of a value or an argument.
enum CompletedValue: Equatable {
  case nothing
  case words([String])
  case cassettes
  case files
  /// Cassettes, and files of other tools.
  case cassettesAndFiles
  case verbs
}

extension Option {
  /// `nil` for a switch.
  var completedValue: CompletedValue? {
    guard let value else { return nil }
    if !choices.isEmpty { return .words(choices) }
    if [Option.cassette.name, Option.into.name].contains(name) { return .cassettes }
    return ["FILE", "PATH", "FOLDER", "REPORT"].contains(value) ? .files : .nothing
  }
}

extension Verb {
  /// What its arguments are, by the words of the usage line.
  var completedArguments: CompletedValue {
    if !choices.isEmpty { return .words(choices) }
    let words = Set(synopsis.split { !$0.isLetter }.map(String.init))
    if namesCassette { return .cassettes }
    if words.contains("CASSETTE") { return .cassettesAndFiles }
    if words.contains("VERB") { return .verbs }
    return !words.isDisjoint(with: ["FILE", "PATH"]) ? .files : .nothing
  }

  /// Its name and those in other tools.
  var names: [String] { [name] + aliases }
}

extension String {
  /// As one word of a shell, in single quotes.
  var shellQuoted: String { "'\(replacing("'", with: "'\\''"))'" }
}
