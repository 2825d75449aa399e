/// Cuts a journal into lines without holding more than one of them, and reads forward only.
struct JournalLines {
  struct Line {
    /// Without its line feed.
    var bytes: ArraySlice<UInt8>
    var offset: Int
    /// From 1.
    var number: Int
    /// Whether nothing comes after it.
    var isLast: Bool
    /// Whether its line feed was written.
    var isEnded: Bool
  }

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
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        if end + 1 == buffer.count, !isAtEnd {
          searched = end - start
          try refill()
          continue
        }
        return take(to: end, next: end + 1)
      }
      if isAtEnd { return start < buffer.count ? take(to: buffer.count, next: buffer.count) : nil }
      searched = buffer.count - start
      guard searched <= CassetteLimits.journalLineBytes else {
        throw .damagedJournal(
          file: file.path, line: number + 1,
          problem: "the line is longer than \(CassetteLimits.journalLineBytes) bytes")
      }
      try refill()
    }
  }

  private mutating func take(to end: Int, next: Int) -> Line {
    number += 1
    let line = Line(
      bytes: buffer[start..<end], offset: bufferOffset + start, number: number,
      isLast: isAtEnd && next == buffer.count, isEnded: next > end)
    start = next
    return line
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
