import TapedeckHTTP
public import TapedeckRecording

extension ImportedSession {
  /// Takes what was answered to a request that a file told without an answer.
  public mutating func take(
    _ planned: PlannedRequest, _ response: RecordedResponse, _ volatile: VolatileFacts
  ) {
    var request = planned.request
    InteractionFormat.correctLength(in: &request.fields, to: request.body.count)
    exchanges.append(
      ImportedExchange(
        origin: planned.origin,
        interaction: Interaction(request: request, response: response, volatile: volatile)))
  }

  /// Notes that a request got no answer.
  public mutating func leaveOut(_ planned: PlannedRequest, because problem: String) {
    let path = String(decoding: planned.request.path.prefix(200), as: UTF8.self)
    note(
      .skipped, "\(problem); left out", planned.file, planned.entry,
      "\(planned.request.method) \(planned.origin)\(path)")
  }

  /// Takes over notes on a file that was read elsewhere.
  public mutating func append(_ notes: [ImportNote]) { self.notes += notes }

  /// Takes an exchange that `fill` makes of an entry, or a note of why it is none.
  mutating func take(
    file: String, entry: String, _ fill: (inout ExchangeDraft) throws(EntryRefusal) -> Void
  ) {
    var draft = ExchangeDraft()
    do throws(EntryRefusal) {
      try fill(&draft)
      let (exchange, remarks) = try draft.finished()
      exchanges.append(exchange)
      for remark in remarks { note(remark.severity, remark.problem, file, entry, draft.summary) }
    } catch {
      note(.skipped, error.problem, file, entry, draft.summary)
    }
  }

  mutating func note(
    _ severity: ImportNote.Severity, _ problem: String, _ file: String, _ entry: String = "",
    _ request: String = ""
  ) {
    notes.append(ImportNote(severity: severity, file: file, entry: entry, request: request, problem: problem))
  }
}
