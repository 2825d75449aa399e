internal import TapedeckHTTP
import TapedeckMaintenance
internal import TapedeckObjectStore
internal import TapedeckRecording

extension Option {
  static let into = Option(
    "--into", "NAME", help: "the cassette to write: a new one, or the first one", aliases: ["-o", "--output"])
  static let prefer = Option(
    "--prefer", "first|last|both",
    help: "whose responses to keep if they differ; both appends the later ones", default: "both")
}

extension Verb {
  static let merge = Verb(
    name: "merge", group: .cassettes, summary: "merge several cassettes into one",
    synopsis: "CASSETTE CASSETTE… --into NAME [--prefer first|last|both]",
    options: [.into, .prefer, .json] + Option.store,
    examples: [
      "tapedeck merge users orders --into api",
      "tapedeck merge api api-new --into api --prefer last",
    ],
    notes: """
      Requests that only one cassette has are kept with their responses; equal responses are kept once. If responses
      differ, those of the later cassette follow those of the earlier one, unless --prefer selects which to keep.
      """
  ) { arguments in
    let names = arguments.positional
    guard names.count >= 2 else {
      throw UsageError("two cassettes or more are needed: tapedeck merge A B --into C")
    }
    guard let target = arguments[.into] else {
      throw UsageError("--into is missing: give a new cassette, or --into \(names[0])")
    }
    let preference = try arguments.choice(.prefer, CassetteMerge.Preference.self) ?? .both
    let recording = RemoteCassettes.isMeant(by: target) ? try RemoteCassettes.record(target) : nil
    let path = try recording?.folder ?? CassettePath.resolve(target)
    let cassettes = try names.map { name in
      recording != nil && name == target ? try CassettePath.load(path: path) : try CassettePath.load(name)
    }
    let merge = try CassetteMerge(cassettes, preferring: preference)
    for warning in merge.warnings { Terminal.say("warning: \(warning)") }
    let kept =
      switch preference {
      case .both: "those of the later one are appended"
      case .first: "those of the first one are kept"
      case .last: "those of the last one are kept"
      }
    for conflict in merge.conflicts where !arguments.has(.json) {
      let request = conflict.recorded.request
      Terminal.out(
        "~ \(request.method) \(Printable.line(request.targetText))  \(Printable.line(conflict.fileName)): "
          + "the responses differ, \(kept)\n")
    }
    let progress = Progress("merging")
    Signals.block()
    let report = try merge.write(into: path, until: { Signals.isEndPending }) { progress.set($0, of: $1) }
    progress.finish()
    arguments.show(
      "\(recording == nil ? path : target): \(HumanText.count(merge.count, "interaction")), \(report.written) written, "
        + "\(report.removed) removed, \(merge.equalCount) were in both; "
        + "\(HumanText.count(merge.conflicts.count, "conflict"))\n",
      json: [
        "cassette": JSONValue(recording == nil ? path : target), "interactions": JSONValue(merge.count),
        "written": JSONValue(report.written), "removed": JSONValue(report.removed),
        "equal": JSONValue(merge.equalCount), "conflicts": JSONValue(merge.conflicts.map(\.fileName)),
      ])
    report.sayWarnings(path: path)
    if let recording { try RemoteCassettes.publish(recording, as: target) }
    return .good
  }
}
