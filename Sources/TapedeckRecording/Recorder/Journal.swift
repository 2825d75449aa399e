/// The contents of a journal on disk.
///
/// No line is written with two calls, so a crash leaves at most an incomplete last line. It is left out with
/// a warning, because no client was told of it. Damage anywhere else is an error.
package struct Journal {
  package struct Entry {
    package var record: JournalRecord
    /// The file name with the line number, for messages.
    package var file: String
    var offset: Int
    var count: Int
  }

  /// `nil` when there is no complete first line.
  private(set) var header: JournalHeader?
  package private(set) var warnings: [String] = []

  /// - Parameter isJoining: whether a WebSocket comes as one entry, after all others.
  package init(
    reading file: OpenFile, isJoining: Bool = false, take: (Entry) throws(CassetteError) -> Void
  ) throws(CassetteError) {
    var joining = JournalJoining()
    try self.init(
      reading: file,
      each: { entry throws(CassetteError) in
        if !isJoining || !joining.takes(entry) { try take(entry) }
      })
    for entry in joining.entries { try take(entry) }
  }

  private init(reading file: OpenFile, each take: (Entry) throws(CassetteError) -> Void) throws(CassetteError)
  {
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
    warnings.append("\(file.path):\(line.number): the last line, \(line.bytes.count) bytes, \(problem)")
  }
}

struct JournalLines {
  /// A line without its line feed, which is missing unless `isEnded`; nothing follows it if `isLast`.
  typealias Line = (bytes: ArraySlice<UInt8>, offset: Int, number: Int, isLast: Bool, isEnded: Bool)

  private static let pieceBytes = 256 * 1024
  private let file: OpenFile
  private var buffer: [UInt8] = []
  private var start = 0
  private var bufferOffset = 0
  private var number = 0
  private var isAtEnd = false

  init(_ file: OpenFile) { self.file = file }

  mutating func next() throws(CassetteError) -> Line? {
    var searched = start
    while true {
      let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n"))
      if let end, isAtEnd || end + 1 < buffer.count { return take(to: end, next: end + 1) }
      if isAtEnd { return start < buffer.count ? take(to: buffer.count, next: buffer.count) : nil }
      searched = (end ?? buffer.count) - start
      guard end != nil || searched <= CassetteLimits.journalLineBytes else {
        throw .damagedJournal(
          file: file.path, line: number + 1,
          problem: "the line is longer than \(CassetteLimits.journalLineBytes) bytes")
      }
      try refill()
    }
  }

  private mutating func take(to end: Int, next: Int) -> Line {
    number += 1
    defer { start = next }
    return (
      buffer[start..<end], bufferOffset + start, number, isLast: isAtEnd && next == buffer.count,
      isEnded: next > end
    )
  }

  private mutating func refill() throws(CassetteError) {
    buffer.removeFirst(start)
    bufferOffset += start
    start = 0
    let piece = try file.bytes(at: bufferOffset + buffer.count, count: Self.pieceBytes)
    isAtEnd = piece.isEmpty
    buffer += piece
  }
}
