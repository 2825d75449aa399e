internal import TapedeckHTTP
internal import TapedeckRecording

/// The commands that would make a request match, or record it.
struct MissFixes: Sendable {
  /// More differences than these are another request, whatever they look like.
  private static let maximumIgnored = 6

  let mode: RecordMode
  let upstream: String?
  let cassette: String?

  init(_ configuration: ProxyConfiguration) {
    mode = configuration.mode
    upstream = configuration.upstream
    cassette = configuration.cassette
  }

  /// The one that fits best first.
  func all(for nearest: NearMiss?, cassette: Cassette?, recorded: Int) -> [Miss.Fix] {
    let first = recorded > 0 ? repeating(recorded) : nearest.flatMap { ignoring($0, cassette) }
    return [first, recording(cassette, recorded: recorded)].compactMap { $0 }
  }

  private func repeating(_ recorded: Int) -> Miss.Fix {
    Miss.Fix(
      because: "to get the last recorded answer again",
      command: "\(again) --on-exhausted repeat")
  }

  private func recording(_ cassette: Cassette?, recorded: Int) -> Miss.Fix {
    let origin = upstream ?? cassette?.upstream ?? "URL"
    let name = self.cassette ?? "NAME"
    let exhausted = recorded > 0 ? " --on-exhausted miss" : ""
    return Miss.Fix(
      because: self.cassette == nil ? "to record it" : "to record it into this cassette",
      command: "tapedeck serve --mode new_episodes --upstream \(ShellWord.quoted(origin)) "
        + "--cassette \(ShellWord.quoted(name))\(exhausted)")
  }

  /// The command that runs now.
  private var again: String {
    let verb = mode == .none ? "replay" : "serve --mode \(mode.rawValue)"
    let origin = upstream.map { " --upstream \(ShellWord.quoted($0))" } ?? ""
    return "tapedeck \(verb)\(origin)\(cassette.map { " --cassette \(ShellWord.quoted($0))" } ?? "")"
  }

  /// Where all that differs looks new in every request, or is the same in another type.
  private func ignoring(_ nearest: NearMiss, _ cassette: Cassette?) -> Miss.Fix? {
    guard let cassette, (1...Self.maximumIgnored).contains(nearest.differences.count),
      nearest.differences.allSatisfy({ $0.looksVolatile || $0.ignoredBy == "body:json" })
    else { return nil }
    let words = nearest.differences.compactMap(\.ignoredBy).reduce(into: [String]()) { words, word in
      if !words.contains(word) { words.append(word) }
    }
    guard (try? MatchSpec(words).rules(changing: cassette.matcher.rules)) != nil else { return nil }
    let isTold = cassette.matcher.rules != cassette.recordedRules
    let spec = ((isTold ? cassette.matcher.rules.items : []) + words).joined(separator: ",")
    let quoted = words.map { JSONValue($0).bytes() }.joined(separator: ", ".utf8)
    return Miss.Fix(
      because: "to ignore \(nearest.differences.map(\.field).joined(separator: ", ")) (for good: add "
        + "\(String(decoding: Array(quoted), as: UTF8.self)) to match in \(cassette.path)/cassette.json)",
      command: "\(again) --match \(ShellWord.quoted(spec))")
  }
}
