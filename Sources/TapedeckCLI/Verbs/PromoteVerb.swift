internal import TapedeckHTTP
import TapedeckMaintenance
internal import TapedeckProxy
internal import TapedeckRecording

extension Option {
  static let promoted = Option(
    "--only", "HOST", help: "promote only exchanges with this host, of a recording of several origins")
  static let out = Option(
    "--out", "FILE",
    help: "the file to write (CASSETTE.overrides.json); - is standard output", aliases: ["--output", "-o"])
  static let minConfidence = Option(
    "--min-confidence", "PERCENT", help: "leave out resources of less confidence", default: "50")
  static let force = Option("--force", help: "replace an existing file")
}

extension Verb {
  static let promote = Verb(
    name: "promote", group: .cassettes, summary: "turn a recording into a stateful backend",
    synopsis: "CASSETTE [--only HOST] [--out FILE] [--min-confidence PERCENT] [--json] [--force]",
    options: [.promoted, .out, .minConfidence, .force, .json] + Option.store,
    examples: [
      "tapedeck promote example", "tapedeck promote example --out backend.json --min-confidence 30",
      "tapedeck serve --cassette example --overrides example.overrides.json",
    ],
    notes: """
      Finds the collections in a recorded session: their paths, ids, envelopes, statuses, and the objects as they were
      before the session changed anything. It writes them as resources of an overrides file, which 'serve' keeps in a
      store: an object created offline is in the next list. All other requests stay with the cassette.

      The session is then replayed against the resources, and each response is compared with the recorded one. The
      table shows how much is reproduced, and the lines below it show the differences. CONFIDENCE is the share of the
      actions that were seen (list, show, create, update, delete), times the share of responses reproduced. If no
      collection reaches --min-confidence, nothing is written and the exit code is 4.
      """
  ) { arguments in
    let name = try arguments.words("cassette", required: 1)[0]
    let minimum = try arguments.number(.minConfidence, in: 0...100) ?? 50
    // By default the file stands in the current folder, beside `Cassettes/`.
    let stem = name.split(separator: "/").last.map(String.init) ?? name
    let out = arguments[.out] ?? "\(stem.hasSuffix(".har") ? String(stem.dropLast(4)) : stem).overrides.json"
    if !arguments.has(.force), ForeignFile.isThere(out) {
      throw Failure("\(out) already exists; replace it with --force, or name another file with --out")
    }
    let cassette = try CassettePath.load(name)
    let promotion: Promotion
    do throws(PromotionError) {
      let origin = try PromotedOrigin(of: cassette, only: arguments[.promoted])
      if let advice = origin.advice { Terminal.say("warning: \(advice)") }
      promotion = origin.promotion
    } catch {
      if case .severalOrigins = error { throw UsageError("\(error)") }
      throw Failure("\(error)")
    }
    let review = try PromotionReview(promotion, minimum: Double(minimum) / 100)
    let isGood = review.verdicts.contains(where: \.isTaken)
    if isGood, out != "-" { try OutputFile.write(review.document.bytes(.pretty), to: out) }
    if out != "-" {
      arguments.show(review.text, json: review.json(file: isGood ? out : nil))
    } else if isGood {
      Terminal.out(json: review.document)
    }
    if !isGood {
      let best = review.verdicts.map { Int($0.confidence * 100) }.max()
      Terminal.say(
        best.map {
          "no collection reaches \(minimum) %; the best has \($0) %: --min-confidence \($0) takes it"
        }
          ?? "no collection was found: record a list, an object by its id, or the creation of an object")
    } else if out != "-" {
      Terminal.say(
        "wrote \(out); serve it with:\ntapedeck serve --cassette \(ShellWord.quoted(name)) "
          + "--overrides \(ShellWord.quoted(out))")
    }
    return isGood ? .good : .strictness
  }
}

extension PromotionReview {
  private static let shownDifferences = 20

  fileprivate var text: String {
    let notes = verdicts.flatMap { verdict in
      verdict.resource.notes.map { "\(Printable.line("\(verdict.resource.path): \($0)"))\n" }
    }
    let left = outcomes.count { $0.resource == nil }
    return (verdicts.isEmpty ? "" : table.text()) + notes.joined() + differences
      + "\(HumanText.count(outcomes.count - left, "request")) served by the store, \(left) by the cassette\n"
  }

  private var table: TextTable<Verdict> {
    TextTable(
      columns: [
        .init(heading: "PATH", minimumWidth: 16) { $0.resource.path },
        .init(heading: "OBJECTS", isNumeric: true) {
          $0.resource.objectCount == 0 ? "-" : "\($0.resource.objectCount)"
        },
        .init(heading: "SEEN", minimumWidth: 12) { $0.resource.seen.joined(separator: ", ") },
        .init(heading: "ASSUMED", minimumWidth: 8, color: { _ in .dim }) {
          $0.resource.assumed.joined(separator: ", ")
        },
        .init(
          heading: "REPRODUCED", isNumeric: true, color: { $0.reproduced < $0.responded ? .yellow : nil }
        ) { "\($0.reproduced) of \($0.responded)" },
        .init(heading: "CONFIDENCE", isNumeric: true, color: { $0.isTaken ? .green : .yellow }) {
          "\(Int(($0.confidence * 100).rounded())) %\($0.isTaken ? "" : ", left out")"
        },
      ], rows: verdicts)
  }

  private var differences: String {
    let lines = zip(exchanges, outcomes).compactMap { exchange, outcome -> String? in
      guard let difference = outcome.difference else { return nil }
      return "\("differs".painted(.yellow)): \(Printable.line("\(exchange.line): \(difference)"))\n"
    }
    let more = lines.count - Self.shownDifferences
    return lines.prefix(Self.shownDifferences).joined() + (more > 0 ? "… and \(more) more\n" : "")
  }
}
