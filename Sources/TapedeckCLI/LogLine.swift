internal import TapedeckHTTP
internal import TapedeckProxy

/// The lines of the live log. Query values stay out of them: they may be secret.
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
    out += path(summary)
    let (start, end) = hasColor ? ("\u{1B}[\(color(summary))m", "\u{1B}[0m") : ("", "")
    let cut = summary.wasCutShort ? " (cut short)" : ""
    out +=
      " \(start)\(summary.status)\(end) \(summary.source.rawValue) \(milliseconds(summary)) ms\(cut)\n".utf8
  }

  private static func appendJSON(_ summary: ExchangeSummary, to out: inout [UInt8]) {
    let line: JSONValue = [
      "method": JSONValue(summary.method.rawValue),
      "path": JSONValue(String(decoding: path(summary), as: UTF8.self)),
      "status": JSONValue(summary.status),
      "source": JSONValue(summary.source.rawValue),
      "durationMicroseconds": JSONValue(Int(summary.durationNanoseconds / 1000)),
      "cutShort": .bool(summary.wasCutShort),
    ]
    out += line.bytes()
    out.append(UInt8(ascii: "\n"))
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
