import TapedeckFormats
internal import TapedeckHTTP
internal import TapedeckRecording

/// How the verbs that look at cassettes get them.
enum CassetteReading {
  /// The cassette of this name or path. What was left out of a journal is told.
  static func load(_ name: String) throws -> Cassette {
    let progress = Progress("loading")
    defer { progress.finish() }
    let path = try CassettePath.resolve(name)
    let cassette = try Cassette.open(path, progress: { progress.set($0, of: $1) })
    progress.finish()
    for warning in cassette.warnings { Terminal.say("warning: \(warning)") }
    return cassette
  }

  /// The interactions that a word names: by file name, with or without its suffix, by the beginning of one, or by
  /// path or target.
  static func answers(of cassette: Cassette, named word: String) throws(Failure) -> [StoredInteraction] {
    let tests: [(StoredInteraction) -> Bool] = [
      { $0.fileName == word || $0.fileName == word + ".json" },
      { $0.interaction.request.targetText == word },
      { $0.interaction.request.path.elementsEqual(word.utf8) },
      { $0.fileName.hasPrefix(word) },
    ]
    for test in tests {
      let found = cassette.answers.filter(test)
      if !found.isEmpty { return found }
    }
    let known = cassette.answers.flatMap { [$0.fileName, $0.interaction.request.targetText] }
    throw Failure(
      "\(cassette.path) has no interaction \(word.debugDescription)\(Spelling.hint(word, among: known))"
        + "; 'tapedeck ls \(cassette.path)' lists them")
  }
}
