import TapedeckHTTP

/// The contents of a journal on disk.
///
/// A journal is written line by line, each with one call, so all that a crash can leave is a last line that is not
/// whole: it is set aside with a warning, and nobody was told of it. Damage anywhere else is an error.
package struct Journal {
  /// A record and its place in the file.
  package struct Entry {
    package var record: JournalRecord
    /// With the number of its line, for messages.
    package var file: String
    var offset: Int
    var count: Int
  }

  /// Nil when there is not even a first line.
  private(set) var header: JournalHeader?
  package private(set) var warnings: [String] = []

  /// Reads all of it.
  /// - Parameter take: gets each record in order.
  package init(
    reading file: OpenFile, take: (Entry) throws(CassetteError) -> Void
  ) throws(CassetteError) {
    var lines = JournalLines(file)
    guard let first = try lines.next() else { return }
    header = try JournalHeader(first.bytes, file: file.path)
    guard header != nil || first.isLast else {
      throw .damagedJournal(file: file.path, line: 1, problem: "this is no header of a journal")
    }
    if header == nil { setAside(first, of: file) }
    while let line = try lines.next() {
      guard let record = JournalRecord(line: line.bytes) else {
        guard line.isLast else {
          throw .damagedJournal(
            file: file.path, line: line.number, problem: "the checksum does not agree with the line")
        }
        setAside(line, of: file)
        return
      }
      try take(
        Entry(
          record: record, file: "\(file.path):\(line.number)", offset: line.offset, count: line.bytes.count))
    }
  }

  private mutating func setAside(_ line: JournalLines.Line, of file: OpenFile) {
    let problem =
      line.isEnded
      ? "is damaged and left out" : "was not written to its end and is left out; no client was told of it"
    warnings.append(
      "\(file.path):\(line.number): the last line, \(line.bytes.count) bytes, \(problem)")
  }
}
