internal import Glibc
internal import TapedeckHTTP
internal import TapedeckProxy
internal import TapedeckRecording

/// The lines of the live log. What they are made from has its secrets hidden already.
enum LogLine {
  enum Format: String, CaseIterable { case text, json }

  static func log(_ format: Format) -> ExchangeLog {
    switch format {
    case .text:
      let hasColor = Terminal.standardErrorHasColor
      return ExchangeLog(format: { appendText($0, hasColor: hasColor, to: &$1) }, write: Terminal.log)
    case .json: return ExchangeLog(format: appendJSON, write: Terminal.log)
    }
  }

  private static func appendText(_ summary: ExchangeSummary, hasColor: Bool, to out: inout [UInt8]) {
    out += "\(summary.method) ".utf8
    Printable.appendLine(summary.target, to: &out)
    let (start, end) = hasColor ? ("\u{1B}[\(color(summary))m", "\u{1B}[0m") : ("", "")
    let cut = summary.wasCutShort ? " (cut short)" : ""
    out +=
      " \(start)\(summary.status)\(end) \(summary.source.rawValue) \(milliseconds(summary)) ms\(cut)".utf8
    if let failure = summary.failure { out += ": \(Printable.line(failure.detail))".utf8 }
    if let decisions = summary.decisions { append(decisions, to: &out) }
    out.append(UInt8(ascii: "\n"))
  }

  /// A mark on the line, and below it, indented, what a person should be told.
  private static func append(_ decisions: Decisions, to out: inout [UInt8]) {
    if let drift = decisions.replay?.drift, !drift.isEmpty {
      out += " (drift: \(Printable.line(drift.joined(separator: ", "))))".utf8
    }
    if let substitution = decisions.replay?.substitution { out += " (\(substitution.rawValue))".utf8 }
    let applied = decisions.applied
    if !applied.isEmpty { out += " (\(Printable.line(applied.joined(separator: ", "))))".utf8 }
    for line in decisions.toldMiss?.lines ?? [] { out += "\n\(Printable.line(line))".utf8 }
  }

  private static func appendJSON(_ summary: ExchangeSummary, to out: inout [UInt8]) {
    var members = [
      JSONMember("time", JSONValue(Timestamp.text(milliseconds: Clock.milliseconds))),
      JSONMember("method", JSONValue(summary.method.rawValue)),
      JSONMember("path", JSONValue(RequestTarget.text(Array(path(summary))))),
      JSONMember("target", JSONValue(RequestTarget.text(summary.target))),
      JSONMember("status", JSONValue(summary.status)),
      JSONMember("source", JSONValue(summary.source.rawValue)),
      JSONMember("durationMicroseconds", JSONValue(Int(summary.durationNanoseconds / 1000))),
      JSONMember("cutShort", .bool(summary.wasCutShort)),
    ]
    members += explaining(summary)
    out += Printable.json(JSONValue.object(members).bytes())
    out.append(UInt8(ascii: "\n"))
  }

  private static func explaining(_ summary: ExchangeSummary) -> [JSONMember] {
    var members: [JSONMember] = []
    let replay = summary.decisions?.replay
    if let replay { members.append(JSONMember("file", JSONValue(replay.file))) }
    if let drift = replay?.drift, !drift.isEmpty {
      members.append(JSONMember("drift", .array(drift.map { JSONValue($0) })))
    }
    if let failure = summary.failure { members.append(JSONMember("failure", failure.json)) }
    if let substitution = replay?.substitution {
      members.append(JSONMember("substitution", JSONValue(substitution.rawValue)))
    }
    let applied = summary.decisions?.applied ?? []
    if !applied.isEmpty { members.append(JSONMember("applied", .array(applied.map { JSONValue($0) }))) }
    return members + (summary.decisions?.toldMiss?.explanation ?? [])
  }

  private static func path(_ summary: ExchangeSummary) -> ArraySlice<UInt8> {
    summary.target.prefix { $0 != UInt8(ascii: "?") }
  }

  /// With two decimals.
  private static func milliseconds(_ summary: ExchangeSummary) -> String {
    let hundredths = (summary.durationNanoseconds + 5_000) / 10_000
    let fraction = hundredths % 100
    return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
  }

  private static func color(_ summary: ExchangeSummary) -> Int {
    switch summary.status {
    case ..<300: 32
    case ..<400: 36
    case ..<500: 33
    default: 31
    }
  }
}

/// The time of day.
private enum Clock {
  /// Since 1970-01-01 UTC.
  static var milliseconds: Int {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
  }
}
