internal import Glibc
internal import Synchronization

/// What people see.
///
/// Standard error may be a pipe that nobody reads. Then the live log drops lines, and tells later how many, instead of
/// stopping the loops that write it; what must be said waits a moment for room, and is given up after that.
enum Terminal {
  /// What a pipe takes at once when it reports room.
  private static let pieceBytes = 4096
  private static let patienceMilliseconds: Int32 = 1000
  private static let lostLines = Mutex(0)

  static func out(_ text: String) { write(STDOUT_FILENO, Array(text.utf8)) }

  /// A line from us on standard error.
  static func say(_ text: String) {
    let line = Array("tapedeck: \(text)\n".utf8)
    if hasRoom(waitingMilliseconds: patienceMilliseconds) { write(STDERR_FILENO, line) }
  }

  /// Lines of the live log, each with its end.
  static func log(_ lines: [UInt8]) {
    var rest = lines[...]
    while !rest.isEmpty {
      guard hasRoom(waitingMilliseconds: 0) else { return lose(rest) }
      tellLost()
      let piece = wholeLines(rest.prefix(pieceBytes))
      write(STDERR_FILENO, Array(piece))
      rest = rest[piece.endIndex...]
    }
  }

  /// As many whole lines as there are; a line that is longer than that goes in pieces.
  private static func wholeLines(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    bytes.lastIndex(of: UInt8(ascii: "\n")).map { bytes[...$0] } ?? bytes
  }

  private static func lose(_ lines: ArraySlice<UInt8>) {
    let count = lines.count { $0 == UInt8(ascii: "\n") }
    lostLines.withLock { $0 += count }
  }

  private static func tellLost() {
    let count = lostLines.withLock { lost in
      defer { lost = 0 }
      return lost
    }
    guard count > 0 else { return }
    write(
      STDERR_FILENO, Array("tapedeck: \(count) lines of the log were lost: nobody read standard error\n".utf8)
    )
  }

  private static func hasRoom(waitingMilliseconds: Int32) -> Bool {
    var descriptor = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
    return poll(&descriptor, 1, waitingMilliseconds) == 1
  }

  /// Colour only where a person looks, and not against their wish (no-color.org).
  static let standardErrorHasColor = isatty(STDERR_FILENO) == 1 && environment("NO_COLOR") == nil

  /// A variable of the environment, unless it is empty.
  static func environment(_ name: String) -> String? {
    guard let value = getenv(name) else { return nil }
    let text = String(cString: value)
    return text.isEmpty ? nil : text
  }

  private static func write(_ descriptor: Int32, _ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return }
    }
  }
}
