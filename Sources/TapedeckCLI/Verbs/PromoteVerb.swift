internal import Glibc
internal import TapedeckHTTP
import TapedeckMaintenance
internal import TapedeckProxy
internal import TapedeckRecording

extension Option {
  static let out = Option(
    name: "--out", value: "FILE", help: "where to (CASSETTE.overrides.json here); - is standard output",
    aliases: ["--output", "-o"])
  static let minConfidence = Option(
    name: "--min-confidence", value: "PERCENT", help: "leave out what is less sure than that (50)")
  static let force = Option(name: "--force", help: "replace the file if it is there")
}

extension Verb {
  static let promote = Verb(
    name: "promote", group: .cassettes, summary: "make a living backend of a recording",
    synopsis: "CASSETTE [--out FILE] [--min-confidence PERCENT] [--json] [--force]",
    options: [.out, .minConfidence, .force, .json],
    examples: [
      "tapedeck promote example", "tapedeck promote example --out backend.json --min-confidence 30",
      "tapedeck serve --cassette example --overrides example.overrides.json",
    ],
    notes: """
      Finds in a recorded session the collections behind it: their paths, ids, envelopes, statuses, and the objects as
      they were before the session changed anything. It writes them as resources of an overrides file, by which
      'serve' answers from a store: what is made offline is there in the next list. All else stays with the cassette.

      The session is then asked again of what was written, and each answer compared with the recorded one: the table
      says how much is reproduced, and the lines below it where an answer differs. CONFIDENCE is how much of a
      collection was seen (list, show, create, update, delete), times the share that it reproduces.
      Exits with 4 when no collection is sure enough; then nothing is written.
      """,
    run: PromoteVerb.run)
}

/// A recording on its way to become a backend.
enum PromoteVerb {
  static func run(_ arguments: Arguments) throws -> ExitCode {
    let name = try arguments.words("cassette", required: 1)[0]
    let minimum = try arguments.number(.minConfidence, in: 0...100) ?? 50
    let out = arguments[.out] ?? "\(stem(of: name)).overrides.json"
    if !arguments.has(.force), Files.isRegular(out) {
      throw Failure("\(out) is there already; --force replaces it, --out names another file")
    }
    let cassette = try CassetteReading.load(name)
    let backend = try PromotionReview(Promotion(cassette), minimum: Double(minimum) / 100)
    let isGood = backend.verdicts.contains(where: \.isTaken)
    if isGood, out != "-" { try OutputFile.write(backend.document.bytes(.pretty), to: out) }
    if out == "-" {
      if isGood { Terminal.out(json: backend.document) }
    } else if arguments.has(.json) {
      Terminal.out(json: PromotionText.json(backend, file: isGood ? out : nil))
    } else {
      Terminal.out(PromotionText(backend: backend, style: .output).text)
    }
    tellNext(backend, cassette: name, out: out, minimum: minimum)
    return isGood ? .good : .strictness
  }

  /// By default the file stands in the current folder, beside `Cassettes/`.
  private static func stem(of name: String) -> String {
    let last = name.split(separator: "/").last.map(String.init) ?? name
    return last.hasSuffix(".har") ? String(last.dropLast(4)) : last
  }

  private static func tellNext(_ backend: PromotionReview, cassette: String, out: String, minimum: Int) {
    guard backend.verdicts.contains(where: \.isTaken) else {
      let best = backend.verdicts.map { Int($0.confidence * 100) }.max()
      return Terminal.say(
        best.map {
          "no collection reaches \(minimum) %; the best has \($0) %: --min-confidence \($0) takes it"
        }
          ?? "no collection was found: a list, an object by its id or a new one answered with its id would be one"
      )
    }
    guard out != "-" else { return }
    Terminal.say(
      "wrote \(out); serve it with:\ntapedeck serve --cassette \(ShellWord.quoted(cassette)) --overrides \(ShellWord.quoted(out))"
    )
  }
}
