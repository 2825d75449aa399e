import TapedeckHTTP

@testable import TapedeckFormats
@testable import TapedeckRecording
@testable import TapedeckRedaction

/// A left-over journal: a `CassetteError`, or recordings with names that are safe in the cassette's folder.
///
/// No mutation gets past the checksums, so the input is read twice: as it is, and with each of its lines taken for the
/// content of a record whose checksum is right, as someone who means harm would make it.
enum JournalLaw {
  static func check(_ input: [UInt8]) throws(BrokenLaw) {
    try readsSafely(input, of: .one(nil))
    let origins: CassetteOrigins = input.count % 3 == 0 ? .several : .one(nil)
    var sealed = JournalHeader(pid: 1, isReplacing: input.count % 2 == 0, origins: origins).line
    for payload in input.split(separator: 0x0A) {
      sealed += Array(#"{"crc32":""#.utf8) + payload.withUnsafeBytes(CRC32.hex)
      sealed += Array(#"","interaction":"#.utf8) + payload + Array("}\n".utf8)
    }
    try readsSafely(sealed, of: origins)
    for line in sealed.split(separator: 0x0A) { try isWrittenAgain(line) }
  }

  private static func readsSafely(_ journal: [UInt8], of origins: CassetteOrigins) throws(BrokenLaw) {
    let directory = try CassetteFolder.open()
    do throws(CassetteError) {
      let file = try directory.openForAppending(CassetteNames.journal)
      try file.truncate(to: 0)
      try file.write(journal)
    } catch {
      throw BrokenLaw("\(error)")
    }
    var answers: [StoredInteraction] = []
    do throws(CassetteError) {
      let reader = CassetteReader(directory, matcher: RequestMatcher(comparesOrigin: origins == .several))
      var load = LoadedAmount(path: directory.path)
      if let journal = try directory.openForReading(CassetteNames.journal) {
        _ = try reader.addJournal(journal, to: &answers, &load)
      }
    } catch {
      return
    }
    for answer in answers {
      let parts = answer.fileName.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
      try require(parts.count == (origins == .several ? 2 : 1), "the name \(answer.fileName)")
      if parts.count == 2 { try NamesLaw.isSafe(folder: parts[0]) }
      try NamesLaw.isSafe(parts[parts.count - 1])
    }
  }

  private static func isWrittenAgain(_ line: ArraySlice<UInt8>) throws(BrokenLaw) {
    guard let record = JournalRecord(line: line) else { return }
    let again = JournalRecord(line: record.line.dropLast())
    try require(
      again?.tree == record.tree && again?.arrival == record.arrival && again?.base == record.base,
      "\(record) was read again as \(String(describing: again))")
  }
}
