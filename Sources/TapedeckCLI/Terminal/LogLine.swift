internal import Glibc
internal import TapedeckHTTP
internal import TapedeckProxy
internal import TapedeckRecording

enum LogFormat: String, CaseIterable { case text, json }

extension ExchangeLog {
  /// Writes the live log to standard error: columns on a terminal, else lines that programs can split. The summaries are
  /// already redacted.
  /// - Parameter endpoints: counts the exchanges.
  static func live(_ format: LogFormat, counting endpoints: EndpointCounts?) -> ExchangeLog {
    guard let endpoints else { return live(format) }
    let log = live(format)
    return ExchangeLog(
      format: {
        endpoints.add($0)
        log.format($0, &$1)
      }, write: log.write)
  }

  private static func live(_ format: LogFormat) -> ExchangeLog {
    switch format {
    case .text where Terminal.standardErrorIsTerminal:
      let style = Style(hasColor: Terminal.standardErrorHasColor)
      return ExchangeLog(
        format: { exchange, out in
          // The terminal may change its size.
          let columns = LogColumns(columns: Terminal.errorColumns ?? 80, style: style)
          out += columns.text(exchange, time: timeOfDay).utf8
        }, write: Terminal.log)
    case .text: return ExchangeLog(format: { $0.appendText(to: &$1) }, write: Terminal.log)
    case .json: return ExchangeLog(format: { $0.appendJSON(to: &$1) }, write: Terminal.log)
    }
  }

  /// Local time, as in `22:41:07`.
  private static var timeOfDay: String {
    var seconds = timeMilliseconds / 1000
    var local = tm()
    localtime_r(&seconds, &local)
    return [local.tm_hour, local.tm_min, local.tm_sec].map { $0 < 10 ? "0\($0)" : "\($0)" }
      .joined(separator: ":")
  }
}

extension ExchangeSummary {
  /// Method, target, status, who responded, duration and size, then the file and notes.
  fileprivate func appendText(to out: inout [UInt8]) {
    out += "\(method) ".utf8
    Printable.appendLine(target, to: &out)
    let cut = wasCutShort ? " (cut short)" : ""
    out += " \(status) \(source.rawValue) \(milliseconds) ms \(HumanText.size(bodyBytes))".utf8
    if let file = decisions?.replay?.file { out += " \(Printable.line(file))".utf8 }
    out += cut.utf8
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
      JSONMember("cutShort", .bool(wasCutShort)), JSONMember("bodyBytes", JSONValue(bodyBytes)),
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
    if let decisions { members += Self.reasons(decisions) }
    members += decisions?.toldMiss?.explanation ?? []
    out += Printable.json(JSONValue.object(members).bytes())
    out.append(UInt8(ascii: "\n"))
  }

  /// Why it got this response, and which links declined, in the words of the request log.
  private static func reasons(_ decisions: Decisions) -> [JSONMember] {
    let why = decisions.miss?.detail ?? decisions.responded?.words
    let declined = decisions.all.filter { $0.outcome == .declined }.map { decision -> JSONValue in
      [
        "link": JSONValue(decision.name), "outcome": JSONValue(decision.outcome.rawValue),
        "why": JSONValue(decision.words),
      ]
    }
    return (why.map { [JSONMember("why", JSONValue($0))] } ?? [])
      + (declined.isEmpty ? [] : [JSONMember("decisions", .array(declined))])
  }
}
