import TapedeckHTTP
import TapedeckRecording

extension ImportedSession {
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
