import TapedeckMaintenance
internal import TapedeckRecording

extension Option {
  static let into = Option(
    name: "--into", value: "NAME", help: "where the result goes: a new cassette, or the first one",
    aliases: ["-o", "--output"])
  static let prefer = Option(
    name: "--prefer", value: "first|last|both",
    help: "whose answers stay where cassettes disagree: both (default) lets the later follow the earlier")
}

extension Verb {
  static let merge = Verb(
    name: "merge", group: .cassettes, summary: "make one cassette of several",
    synopsis: "CASSETTE CASSETTE… --into NAME [--prefer first|last|both]", options: [.into, .prefer],
    examples: [
      "tapedeck merge users orders --into api",
      "tapedeck merge api api-new --into api --prefer last",
    ],
    notes: """
      A request that only one of them has keeps its answers; equal answers are kept once. Where answers differ, those
      of the later cassette follow those of the earlier, or --prefer says whose stay.
      """
  ) { arguments in
    let names = arguments.positional
    guard names.count >= 2 else {
      throw UsageError("two cassettes or more are needed: tapedeck merge A B --into C")
    }
    guard let target = arguments[.into] else {
      throw UsageError("where shall it go? --into a new cassette, or --into \(names[0])")
    }
    let preference = try arguments.choice(.prefer, CassetteMerge.Preference.self) ?? .both
    return try MergeVerb.run(names, into: target, preference)
  }
}

enum MergeVerb {
  static func run(
    _ names: [String], into target: String, _ preference: CassetteMerge.Preference
  ) throws -> ExitCode {
    let merge = try CassetteMerge(try names.map(CassetteReading.load), preferring: preference)
    for warning in merge.warnings { Terminal.say("warning: \(warning)") }
    for conflict in merge.conflicts {
      Terminal.out(
        "~ \(conflict.method) \(Printable.line(conflict.target))  \(Printable.line(conflict.fileName)): "
          + "the answers differ, \(kept(preference))\n")
    }
    let path = try CassettePath.resolve(target)
    let progress = Progress("merging")
    let report = try merge.write(into: path) { progress.set($0, of: $1) }
    progress.finish()
    Terminal.out(
      "\(path): \(HumanText.count(merge.count, "interaction")), \(report.written) written, "
        + "\(report.removed) removed, \(merge.equalCount) were in both; \(HumanText.count(merge.conflicts.count, "conflict"))\n"
    )
    if !report.finds.isEmpty {
      Terminal.say("warning: \(SecretAdvice.warning(report.finds, path: path))")
    }
    return .good
  }

  private static func kept(_ preference: CassetteMerge.Preference) -> String {
    switch preference {
    case .both: "those of the later one follow"
    case .first: "those of the first one stay"
    case .last: "those of the last one stay"
    }
  }
}
