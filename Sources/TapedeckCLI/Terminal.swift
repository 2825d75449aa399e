internal import Glibc
internal import Synchronization
internal import TapedeckHTTP

/// What people see.
///
/// Standard error may be a pipe that nobody reads. Then the live log drops lines, and tells later how many, instead of
/// stopping the loops that write it; what must be said waits a moment for room, and is given up after that.
enum Terminal {
  /// What a pipe takes at once when it reports room.
  private static let pieceBytes = 4096
  private static let patienceMilliseconds: Int32 = 1000
  private static let lostLines = Mutex(0)

  /// Text on standard output, as it is: what comes from others goes through `Printable` first.
  static func out(_ text: String) { out(Array(text.utf8)) }

  static func out(_ bytes: [UInt8]) {
    guard outputError == nil, !OutputFile.writeAll(bytes, to: STDOUT_FILENO) else { return }
    let code = errno
    failedOutput.withLock { $0 = code }
  }

  /// The `errno` of the first write to standard output that failed; the rest was not tried.
  static var outputError: Int32? { failedOutput.withLock { $0 } }
  private static let failedOutput = Mutex<Int32?>(nil)

  /// A JSON document on standard output, which may be a terminal.
  static func out(json document: JSONValue) { out(Printable.json(document.bytes(.pretty))) }

  /// A line from us on standard error.
  static func say(_ text: String) {
    let line = Array("tapedeck: \(Printable.lines(text))\n".utf8)
    guard hasRoom(waitingMilliseconds: patienceMilliseconds) else { return }
    status.withLock { isShown in
      write(STDERR_FILENO, isShown ? clearLine + line : line)
      isShown = false
    }
  }

  // MARK: A line that is redrawn

  private static let clearLine = Array("\r\u{1B}[K".utf8)
  /// Whether a status line stands on standard error.
  private static let status = Mutex(false)

  /// Replaces the status line, or with nil takes it away; nothing where standard error is no terminal.
  static func show(status text: String?) {
    guard standardErrorIsTerminal else { return }
    status.withLock { isShown in
      guard isShown || text != nil else { return }
      write(STDERR_FILENO, clearLine + (text.map { Array($0.utf8) } ?? []))
      isShown = text != nil
    }
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

  // MARK: What kind of place it is

  private static let isDumb = environment("TERM") == "dumb"
  private static let allowsColor = environment("NO_COLOR") == nil && !isDumb

  /// Colour only where a person looks, and not against their wish (no-color.org).
  static let standardErrorHasColor = isatty(STDERR_FILENO) == 1 && allowsColor
  static let standardOutputHasColor = isatty(STDOUT_FILENO) == 1 && allowsColor
  /// Whether lines on standard error can be redrawn.
  static let standardErrorIsTerminal = isatty(STDERR_FILENO) == 1 && !isDumb

  /// How many columns standard output has: `COLUMNS`, or what the terminal says; nil where it is no terminal.
  static var outputColumns: Int? { columns(STDOUT_FILENO) }
  static var errorColumns: Int? { columns(STDERR_FILENO) }

  private static func columns(_ descriptor: Int32) -> Int? {
    guard isatty(descriptor) == 1 else { return nil }
    if let text = environment("COLUMNS"), let count = Int(text), count > 0 { return count }
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// Whether a CI server started us: `CI` is set, and not to a word for no.
  static let isCI = environment("CI").map { !["0", "false", "no"].contains($0.lowercased()) } ?? false

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
