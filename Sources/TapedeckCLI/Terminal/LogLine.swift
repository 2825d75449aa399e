internal import TapedeckHTTP
internal import TapedeckProxy
internal import TapedeckRecording

enum LogFormat: String, CaseIterable { case text, json }

extension ExchangeLog {
  /// Writes the live log to standard error. The summaries are already redacted.
  static func live(_ format: LogFormat) -> ExchangeLog {
    switch format {
    case .text:
      let hasColor = Terminal.standardErrorHasColor
      return ExchangeLog(format: { $0.appendText(hasColor: hasColor, to: &$1) }, write: Terminal.log)
    case .json: return ExchangeLog(format: { $0.appendJSON(to: &$1) }, write: Terminal.log)
    }
  }
}

extension ExchangeSummary {
  fileprivate func appendText(hasColor: Bool, to out: inout [UInt8]) {
    out += "\(method) ".utf8
    Printable.appendLine(target, to: &out)
    let (start, end) = hasColor ? ("\u{1B}[\(Style.Color.ofStatus(status).rawValue)m", "\u{1B}[0m") : ("", "")
    let cut = wasCutShort ? " (cut short)" : ""
    out += " \(start)\(status)\(end) \(source.rawValue) \(milliseconds) ms\(cut)".utf8
    if let failure { out += ": \(Printable.line(failure.detail))".utf8 }
    if let decisions { append(decisions, to: &out) }
    out.append(UInt8(ascii: "\n"))
  }

  /// With two decimals.
  private var milliseconds: String {
    let hundredths = (durationNanoseconds + 5_000) / 10_000
    let fraction = hundredths % 100
    return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
  }

  /// Notes at the end of the line, and the explanation of a miss below it.
  private func append(_ decisions: Decisions, to out: inout [UInt8]) {
    if let drift = decisions.replay?.drift, !drift.isEmpty {
      out += " (drift: \(Printable.line(drift.joined(separator: ", "))))".utf8
    }
    if let substitution = decisions.replay?.substitution { out += " (\(substitution.rawValue))".utf8 }
    let applied = decisions.applied
    if !applied.isEmpty { out += " (\(Printable.line(applied.joined(separator: ", "))))".utf8 }
    for line in decisions.toldMiss?.lines ?? [] { out += "\n\(Printable.line(line))".utf8 }
  }

  fileprivate func appendJSON(to out: inout [UInt8]) {
    let path = target.prefix { $0 != UInt8(ascii: "?") }
    var members = [
      JSONMember("time", JSONValue(Timestamp.text(milliseconds: ExchangeLog.timeMilliseconds))),
      JSONMember("method", JSONValue(method.rawValue)),
      JSONMember("path", JSONValue(RequestTarget.text(Array(path)))),
      JSONMember("target", JSONValue(RequestTarget.text(target))),
      JSONMember("status", JSONValue(status)),
      JSONMember("source", JSONValue(source.rawValue)),
      JSONMember("durationMicroseconds", JSONValue(Int(durationNanoseconds / 1000))),
      JSONMember("cutShort", .bool(wasCutShort)),
    ]
    let replay = decisions?.replay
    if let replay { members.append(JSONMember("file", JSONValue(replay.file))) }
    if let drift = replay?.drift, !drift.isEmpty { members.append(JSONMember("drift", JSONValue(drift))) }
    if let failure { members.append(JSONMember("failure", failure.json)) }
    if let substitution = replay?.substitution {
      members.append(JSONMember("substitution", JSONValue(substitution.rawValue)))
    }
    let applied = decisions?.applied ?? []
    if !applied.isEmpty { members.append(JSONMember("applied", JSONValue(applied))) }
    members += decisions?.toldMiss?.explanation ?? []
    out += Printable.json(JSONValue.object(members).bytes())
    out.append(UInt8(ascii: "\n"))
  }
}
