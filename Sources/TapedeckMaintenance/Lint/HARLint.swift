import TapedeckHTTP

/// Where a file breaks the rules of HAR 1.2. Our own reader takes most of it; those of other tools refuse the file, or read
/// something else.
struct HARLint {
  private(set) var findings: [LintFinding] = []
  /// The findings by what they say, since a problem of many entries is one finding.
  private var known: [String: (index: Int, place: String, count: Int)] = [:]
  /// The entry that is being checked.
  private var place = ""

  init(_ document: JSONValue, bytes: [UInt8]) {
    checkDocument(document, bytes)
    guard let log = document["log"] else { return }
    checkLog(log)
    for (index, entry) in (log["entries"]?.array ?? []).enumerated() {
      place = "entry \(index + 1)"
      checkEntry(entry)
    }
    for (index, place, count) in known.values where count > 1 {
      findings[index].file = "\(place) and \(count - 1) more"
    }
  }

  /// - Parameter member: its place in the entry, as in `response.content.size`.
  mutating func add(_ severity: LintFinding.Severity, _ member: String, _ text: String) {
    let problem = "\(member) \(text)"
    guard known[problem] == nil else {
      known[problem]?.count += 1
      return
    }
    known[problem] = (findings.count, place, 1)
    findings.append(LintFinding(severity, .har, place, problem))
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
