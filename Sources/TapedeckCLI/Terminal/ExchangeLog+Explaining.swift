internal import TapedeckHTTP
internal import TapedeckProxy

extension ExchangeLog {
  /// Adds, below each line, what the links of the responder chain decided, and why.
  var explaining: ExchangeLog {
    let format = format
    return ExchangeLog(
      format: { summary, out in
        format(summary, &out)
        for decision in summary.decisions?.all ?? [] {
          let verb = decision.outcome == .declined ? "declined by " : ""
          out += "    \(verb)\(Printable.line("\(decision.name): \(decision.words)"))\n".utf8
        }
      }, write: write)
  }
}
