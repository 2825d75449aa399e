internal import TapedeckHTTP
import TapedeckMaintenance
internal import TapedeckRecording
import TapedeckRedaction

/// What `scan --fix` did about one cassette or file.
struct SecretFix {
  private(set) var remaining: [SecretFind] = []
  private var hiddenCount = 0
  private var changedFiles: [String] = []
  private var renamed: [(old: String, new: String)] = []
  private var recoveredCount = 0
  private var recoveredHiddenCount = 0

  /// Nil where there is nothing to be done.
  init?(_ unit: SecretScan.Unit, _ choice: RedactionChoice) throws {
    let isAsked = choice != RedactionChoice()
    switch unit.kind {
    case .cassette where !unit.finds.isEmpty || isAsked: try clean(cassette: unit.path, choice)
    case .file where !unit.finds.isEmpty || !choice.redact.isEmpty: try clean(file: unit.path, choice)
    case .part(let cassette) where !unit.finds.isEmpty:
      remaining = unit.finds
      Terminal.say(
        "\(unit.path) is not changed by itself, since it must go on matching: tapedeck scan \(cassette) --fix"
      )
    default: return nil
    }
  }

  private mutating func clean(cassette path: String, _ choice: RedactionChoice) throws {
    let progress = Progress("hiding")
    let cleaning = try CassetteCleaning(path, choice) { progress.set($0, of: $1) }
    progress.finish()
    (remaining, hiddenCount) = (cleaning.remaining, cleaning.hiddenCount)
    (changedFiles, renamed) = (cleaning.changedFiles, cleaning.renamed)
    (recoveredCount, recoveredHiddenCount) = (cleaning.recoveredCount, cleaning.recoveredHiddenCount)
    warn(cleaning.unmatched, path)
  }

  private mutating func clean(file path: String, _ choice: RedactionChoice) throws {
    let cleaning = try FileCleaning(path, choice)
    (remaining, hiddenCount) = (cleaning.remaining, cleaning.hiddenCount)
    if hiddenCount > 0 { changedFiles = [path] }
    warn(cleaning.unmatched, path)
  }

  private func warn(_ unmatched: [String], _ path: String) {
    for request in unmatched {
      Terminal.say(
        "warning: \(path) no longer answers \(Printable.line(request)) when it comes as it was recorded; "
          + "it answers a client that was given the placeholder")
    }
  }

  var text: String {
    var parts = ["\(hiddenCount) hidden in \(HumanText.count(changedFiles.count, "file"))"]
    if !renamed.isEmpty { parts.append("\(HumanText.count(renamed.count, "file")) renamed") }
    if recoveredCount > 0 {
      let hidden =
        recoveredHiddenCount > 0
        ? ", \(recoveredHiddenCount) hidden in \(recoveredCount == 1 ? "it" : "them")" : ""
      parts.append("\(HumanText.count(recoveredCount, "interaction")) of a left-over journal sealed\(hidden)")
    }
    if !remaining.isEmpty { parts.append("\(remaining.count) not hidden") }
    return parts.joined(separator: ", ")
  }

  var json: JSONValue {
    [
      "hidden": JSONValue(hiddenCount + recoveredHiddenCount),
      "files": .array(changedFiles.map { JSONValue($0) }),
      "renamed": JSONValue(renamed.count), "recovered": JSONValue(recoveredCount),
    ]
  }
}
