/// The verbs of the command, with what help says about each.
enum Verb: String, CaseIterable {
  case record, replay, serve, ls, show, demo, help

  /// Also understood: the words of other tools.
  init?(word: String) {
    switch word {
    case "capture": self = .record
    case "simulate": self = .replay
    case "spy", "mimic": self = .serve
    default: self.init(rawValue: word)
    }
  }

  var summary: String {
    switch self {
    case .record: "ask the origin, remember everything"
    case .replay: "answer offline; the origin is never asked"
    case .serve: "replay what is known, record what is not"
    case .ls: "list the interactions of a cassette"
    case .show: "show the interactions of a cassette"
    case .demo: "see everything at work, on an embedded sample backend"
    case .help: "tell more about a verb"
    }
  }

  var usage: String {
    switch self {
    case .record: "tapedeck record --upstream URL --cassette NAME [options]"
    case .replay: "tapedeck replay --cassette NAME [options]"
    case .serve:
      "tapedeck serve [--upstream URL] [--cassette NAME] [--mode MODE] [--overrides FILE] [options]"
    case .ls: "tapedeck ls [--json] CASSETTE"
    case .show: "tapedeck show CASSETTE [INTERACTION]"
    case .demo: "tapedeck demo"
    case .help: "tapedeck help VERB"
    }
  }

  var options: [Option] {
    switch self {
    case .record: [.cassette] + Option.asking + Option.serving
    case .replay: [.cassette, .onExhausted, .pace] + Option.serving
    case .serve: [.cassette, .mode, .onExhausted, .pace] + Option.asking + Option.serving
    case .ls: [.json]
    case .show, .demo, .help: []
    }
  }
}
