internal import TapedeckHTTP
import TapedeckMaintenance
internal import TapedeckRecording

extension Option {
  static let exitCode = Option("--exit-code", help: "exit with 4 if they differ, as git diff does with 1")
}

extension Verb {
  static let diff = Verb(
    name: "diff", group: .cassettes, summary: "compare two cassettes",
    synopsis: "CASSETTE CASSETTE [--json] [--exit-code]", options: [.json, .exitCode] + Option.store,
    examples: [
      "tapedeck diff example example-new", "tapedeck diff --exit-code Cassettes/example session.har",
    ],
    notes: """
      Interactions are paired by their requests. Then every field is compared, JSON by path and text by line. What
      differs between any two recordings (dates, durations, addresses) is ignored.
      """
  ) { arguments in
    let words = try arguments.words("first cassette", "second cassette", required: 2)
    let comparison = try CassetteComparison(
      try CassettePath.load(words[0]), try CassettePath.load(words[1]))
    arguments.show(text(comparison), json: comparison.json)
    return arguments.has(.exitCode) && !comparison.isEmpty ? .strictness : .good
  }

  private static func text(_ comparison: CassetteComparison) -> String {
    let rules = comparison.rules.map { "\("~ \($0.field)".painted(.yellow)) \(values($0))\n" }
    return (rules + comparison.changes.map(text)).joined() + summary(comparison)
  }

  private static func text(_ change: CassetteComparison.Change) -> String {
    guard let request = change.request else { return "" }
    let (mark, color): (String, Style.Color) =
      change.old == nil ? ("+", .green) : change.new == nil ? ("-", .red) : ("~", .yellow)
    var names = [change.old, change.new].compactMap { $0?.fileName }
    if names.first == names.last { names = [names[0]] }
    let files = names.map { Printable.line($0).painted(.dim) }.joined(separator: " → ")
    let differences = change.differences.map { "    \(Printable.line($0.field)): \(values($0))\n" }
    return "\(mark) \(request.method) \(Printable.line(request.targetText))".painted(color) + "  \(files)\n"
      + differences.joined()
  }

  private static func values(_ difference: RequestDifference) -> String {
    let old = Printable.line(difference.recorded ?? "(absent)").painted(.red)
    return "\(old) → \(Printable.line(difference.received ?? "(absent)").painted(.green))"
  }

  private static func summary(_ comparison: CassetteComparison) -> String {
    guard !comparison.isEmpty else {
      return "the same: \(HumanText.count(comparison.equalCount, "interaction"))\n"
    }
    let added = comparison.changes.count { $0.old == nil }
    let removed = comparison.changes.count { $0.new == nil }
    let changed = comparison.changes.count - added - removed
    return "\(changed) changed, \(added) added, \(removed) removed, \(comparison.equalCount) the same\n"
  }
}
