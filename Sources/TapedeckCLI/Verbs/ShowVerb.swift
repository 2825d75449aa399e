internal import Glibc
import TapedeckFormats
internal import TapedeckHTTP
internal import TapedeckRecording

extension Option {
  static let curl = Option(name: "--curl", help: "as curl commands that ask the origin again")
  static let body = Option(name: "--body", help: "the body of one answer, byte for byte")
}

extension Verb {
  static let show = Verb(
    name: "show", group: .cassettes, summary: "show the interactions of a cassette",
    synopsis: "CASSETTE [INTERACTION] | FILE.json  [--curl | --json | --body]",
    options: [.curl, .json, .body],
    examples: [
      "tapedeck show example",
      "tapedeck show example /users/1 --curl",
      "tapedeck show example get-users-1-3f9a1c --body | jq .",
      "git config diff.tapedeck.textconv 'tapedeck show'",
      "echo 'Cassettes/**/*.json diff=tapedeck' >> .gitattributes",
    ],
    notes: """
      INTERACTION is a file name, with or without .json, the beginning of one, or a path. A single FILE.json is shown
      without its volatile facts, as a text that git can compare (the last two examples).
      """,
    run: ShowVerb.run)
}

/// Interactions, readable.
enum ShowVerb {
  static func run(_ arguments: Arguments) throws -> ExitCode {
    let words = try arguments.words("cassette", "interaction", required: 1)
    guard [Option.curl, .json, .body].count(where: arguments.has) <= 1 else {
      throw UsageError("--curl, --json and --body exclude each other")
    }
    if words.count == 1, words[0].hasSuffix(".json"), isPlainFile(words[0]) {
      if try show(file: words[0], arguments) { return .good }
    }
    let cassette = try CassetteReading.load(words[0])
    let answers =
      words.count > 1 ? try CassetteReading.answers(of: cassette, named: words[1]) : cassette.answers
    if arguments.has(.curl) {
      for answer in answers { Terminal.out(curl(answer.interaction, of: cassette) + "\n") }
    } else if arguments.has(.json) {
      try showJSON(answers, isOne: words.count > 1 && answers.count == 1)
    } else if arguments.has(.body) {
      try showBody(answers)
    } else {
      let text = InteractionText(style: .output)
      Terminal.out(answers.map(text.text).joined(separator: "\n"))
    }
    return .good
  }

  private static func curl(_ interaction: Interaction, of cassette: Cassette) -> String {
    let body = interaction.largeRequestBody.map { CurlCommand.Body.file("\(cassette.path)/\($0.name)") }
    return CurlCommand(
      interaction.request, base: cassette.upstream ?? base(interaction), body: body ?? .inline
    ).text
  }

  /// Where nobody says what was asked, the `Host` of the request does.
  private static func base(_ interaction: Interaction) -> String {
    "http://\(interaction.request.fields.text("host") ?? "127.0.0.1:8080")"
  }

  /// What a program wants that reads one is one, and of several a list.
  private static func showJSON(_ answers: [StoredInteraction], isOne: Bool) throws {
    let trees = try answers.map { answer -> JSONValue in
      .object([JSONMember("file", JSONValue(answer.fileName))] + (try answer.tree().members ?? []))
    }
    Terminal.out(json: isOne ? trees[0] : .array(trees))
  }

  private static func showBody(_ answers: [StoredInteraction]) throws {
    guard answers.count == 1 else {
      let names = answers.prefix(10).map(\.fileName) + (answers.count > 10 ? ["…"] : [])
      throw UsageError("--body shows one body; name one of \(names.joined(separator: ", "))")
    }
    switch answers[0].interaction.response.body {
    case .bytes(let bytes): Terminal.out(bytes)
    case .file(let file): try show(file)
    }
  }

  private static func show(_ file: BodyFile) throws {
    let reader = try file.open()
    var offset = 0
    while offset < file.size {
      let piece = try reader.bytes(at: offset, count: 1 << 18)
      guard !piece.isEmpty else { throw Failure("\(file.name) ends after \(offset) of \(file.size) bytes") }
      Terminal.out(piece)
      offset += piece.count
    }
  }
}

// MARK: - A file by itself

extension ShowVerb {
  private static func isPlainFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFDIR
  }

  /// git ends its command when a text converter fails, so a file that is no interaction is shown as it is.
  /// - Returns: false when it is a recording of another tool, to be shown like a cassette.
  private static func show(file: String, _ arguments: Arguments) throws -> Bool {
    do {
      let interaction = try Interaction(contentsOf: file)
      if arguments.has(.curl) {
        Terminal.out(CurlCommand(interaction.request, base: base(interaction)).text + "\n")
      } else {
        Terminal.out(InteractionText(style: .output, hidesVolatile: true).text(interaction))
      }
    } catch {
      if (try? Cassette.open(file)) != nil { return false }
      if file.split(separator: "/").last != "cassette.json" {
        Terminal.say("warning: shown as it is: \(error)")
      }
      Terminal.out(Printable.lines(String(decoding: try Files.read(file), as: UTF8.self)))
    }
    return true
  }
}
