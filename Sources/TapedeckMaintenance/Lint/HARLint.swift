import TapedeckHTTP

/// What of HAR 1.2 a file does not keep to. Our own reader takes most of it; those of other tools refuse the file, or
/// read something else out of it.
struct HARLint {
  private(set) var findings: [LintFinding] = []
  /// Where something was found already, and how often: one finding for one thing, whatever number of entries has it.
  private var known: [String: (index: Int, place: String, count: Int)] = [:]

  init(_ document: JSONValue, bytes: [UInt8]) {
    checkDocument(document, bytes)
    guard let log = document["log"] else { return }
    checkLog(log)
    for (index, entry) in (log["entries"]?.array ?? []).enumerated() {
      var lint = HAREntryLint()
      lint.check(entry)
      for problem in lint.problems { note(problem, entry: index + 1) }
    }
    for (index, place, count) in known.values where count > 1 {
      findings[index].file = "\(place) and \(count - 1) more"
    }
  }

  private mutating func note(_ problem: HAREntryLint.Problem, entry: Int) {
    let key = "\(problem.member) \(problem.text)"
    if known[key] != nil {
      known[key]?.count += 1
      return
    }
    known[key] = (findings.count, "entry \(entry)", 1)
    findings.append(
      LintFinding(problem.severity, .har, "entry \(entry)", "\(problem.member) \(problem.text)"))
  }

  private mutating func add(_ severity: LintFinding.Severity, _ text: String) {
    findings.append(LintFinding(severity, .har, "", text))
  }

  private mutating func checkDocument(_ document: JSONValue, _ bytes: [UInt8]) {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      add(.info, "it begins with a byte order mark, which HAR allows and strict readers of JSON do not")
    }
    if (try? JSONValue(parsing: bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes))
      == nil
    {
      add(.error, "NaN or Infinity stands where a number is expected: that is no JSON")
    }
    if document["log"] == nil { add(.error, "`log` is missing: the log itself is the root") }
  }

  private mutating func checkLog(_ log: JSONValue) {
    switch log["version"]?.text {
    case "1.2", "1.1": break
    case let version?: add(.warning, "log.version is \(version.prefix(20).debugDescription), not \"1.2\"")
    case nil: add(.error, "log.version is missing, or no text")
    }
    for member in ["name", "version"] where log["creator"]?[member]?.text == nil {
      add(.error, "log.creator.\(member) is missing, or no text")
    }
    let known: Set<String> = ["version", "creator", "browser", "pages", "entries", "comment"]
    for member in log.members ?? [] where !known.contains(member.name.text) && !member.isPrivate {
      add(.warning, "log.\(member.name.text) is not of HAR, so its name should begin with _")
    }
  }
}

extension JSONMember {
  /// Names of custom members begin with an underscore.
  var isPrivate: Bool { name.text.hasPrefix("_") }
}
