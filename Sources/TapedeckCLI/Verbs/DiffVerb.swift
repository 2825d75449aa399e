internal import TapedeckHTTP
import TapedeckMaintenance
internal import TapedeckRecording

extension Option {
  static let exitCode = Option(
    name: "--exit-code", help: "exit with 4 when they differ, as git diff would with 1")
}

extension Verb {
  static let diff = Verb(
    name: "diff", group: .cassettes, summary: "tell what differs between two cassettes",
    synopsis: "CASSETTE CASSETTE [--json] [--exit-code]", options: [.json, .exitCode],
    examples: [
      "tapedeck diff example example-new", "tapedeck diff --exit-code Cassettes/example session.har",
    ],
    notes: """
      Interactions belong together when their requests match; then every field is compared, JSON by path, text by
      line. What differs between any two recordings (dates, durations, addresses) is left aside.
      """
  ) { arguments in
    let words = try arguments.words("first cassette", "second cassette", required: 2)
    let comparison = try CassetteComparison(
      try CassetteReading.load(words[0]), try CassetteReading.load(words[1]))
    if arguments.has(.json) {
      Terminal.out(json: DiffText.json(comparison))
    } else {
      Terminal.out(DiffText(style: .output).text(comparison))
    }
    return arguments.has(.exitCode) && !comparison.isEmpty ? .strictness : .good
  }
}

/// The differences between two cassettes, for people and for programs.
struct DiffText {
  let style: Style

  func text(_ comparison: CassetteComparison) -> String {
    let rules = comparison.rules.map { "\(line("~", .yellow, $0.field)) \(values($0))\n" }.joined()
    return rules + comparison.changes.map(text).joined() + summary(comparison)
  }

  private func text(_ change: CassetteComparison.Change) -> String {
    guard let request = change.request else { return "" }
    let what = "\(request.method) \(Printable.line(request.targetText))"
    switch (change.old, change.new) {
    case (let old?, nil): return "\(line("-", .red, what))  \(name(old))\n"
    case (nil, let new?): return "\(line("+", .green, what))  \(name(new))\n"
    case (let old?, let new?):
      let names = old.fileName == new.fileName ? name(old) : "\(name(old)) → \(name(new))"
      return "\(line("~", .yellow, what))  \(names)\n" + differences(change.differences)
    case (nil, nil): return ""
    }
  }

  private func line(_ mark: String, _ color: Style.Color, _ what: String) -> String {
    style.paint("\(mark) \(what)", color)
  }

  private func name(_ answer: StoredInteraction) -> String {
    style.paint(Printable.line(answer.fileName), .dim)
  }

  private func differences(_ differences: [RequestDifference]) -> String {
    differences.map { "    \(Printable.line($0.field)): \(values($0))\n" }.joined()
  }

  private func values(_ difference: RequestDifference) -> String {
    let old = style.paint(Printable.line(difference.recorded ?? "(absent)"), .red)
    return "\(old) → \(style.paint(Printable.line(difference.received ?? "(absent)"), .green))"
  }

  private func summary(_ comparison: CassetteComparison) -> String {
    let changes = comparison.changes
    guard !comparison.isEmpty else {
      return "the same: \(HumanText.count(comparison.equalCount, "interaction"))\n"
    }
    let changed = changes.count { $0.old != nil && $0.new != nil }
    let added = changes.count { $0.old == nil }
    let removed = changes.count { $0.new == nil }
    return "\(changed) changed, \(added) added, \(removed) removed, \(comparison.equalCount) the same\n"
  }
}

extension DiffText {
  static func json(_ comparison: CassetteComparison) -> JSONValue {
    [
      "rules": .array(comparison.rules.map(json)),
      "changes": .array(comparison.changes.map(json)),
      "equal": JSONValue(comparison.equalCount),
    ]
  }

  private static func json(_ change: CassetteComparison.Change) -> JSONValue {
    [
      "change": change.old == nil ? "added" : change.new == nil ? "removed" : "changed",
      "method": JSONValue(change.request?.method.rawValue ?? ""),
      "target": JSONValue(change.request?.targetText ?? ""),
      "oldFile": change.old.map { JSONValue($0.fileName) } ?? .null,
      "newFile": change.new.map { JSONValue($0.fileName) } ?? .null,
      "differences": .array(change.differences.map(json)),
    ]
  }

  private static func json(_ difference: RequestDifference) -> JSONValue {
    [
      "field": JSONValue(difference.field),
      "old": difference.recorded.map { JSONValue($0) } ?? .null,
      "new": difference.received.map { JSONValue($0) } ?? .null,
    ]
  }
}
