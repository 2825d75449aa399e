internal import Glibc
internal import Synchronization
internal import TapedeckHTTP
internal import TapedeckProxy

/// Standard output and standard error.
///
/// If standard error is a pipe that is not read, the live log drops lines and later reports how many, so that the event
/// loops do not stall; messages wait for a second, and are then dropped.
enum Terminal {
  /// The bytes a pipe takes without blocking when it reports room.
  private static let pieceBytes = 4096
  private static let patienceMilliseconds: Int32 = 1000
  private static let lostLines = Mutex(0)

  /// Writes to standard output as it is; text from others must pass `Printable` first.
  static func out(_ text: String) { out(Array(text.utf8)) }

  static func out(_ bytes: [UInt8]) {
    guard outputError == nil, !OutputFile.writeAll(bytes, to: STDOUT_FILENO) else { return }
    let code = errno
    failedOutput.withLock { $0 = code }
  }

  /// The `errno` of the first failed write to standard output; later ones are not tried.
  static var outputError: Int32? { failedOutput.withLock { $0 } }
  private static let failedOutput = Mutex<Int32?>(nil)

  static func out(json document: JSONValue) { out(Printable.json(document.bytes(.pretty))) }

  /// Writes a message to standard error.
  ///
  /// A terminal gets it on lines that end between words, unless they hold a command, which must stay in one piece.
  static func say(_ text: String) {
    var lines = "tapedeck: \(Printable.lines(text))".split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
    if let columns = errorColumns {
      lines = lines.flatMap { line in
        let isPlain = !line.dropFirst("tapedeck: ".count).contains("tapedeck ") && !line.hasPrefix(" ")
        return isPlain ? line.wrapped(to: columns - 1, indent: 0) : [line]
      }
    }
    show(lines: lines.map { "\($0)\n" }.joined())
  }

  /// Writes lines to standard error as they are; text from others must pass `Printable` first.
  static func show(lines text: String) {
    let line = Array(text.utf8)
    guard hasRoom(waitingMilliseconds: patienceMilliseconds) else { return }
    status.withLock { isShown in
      writeError(isShown ? clearLine + line : line)
      isShown = false
    }
  }

  /// Writes whole lines to standard error, without our name before them; text from others must pass `Printable` first.
  static func write(_ lines: String) {
    guard !lines.isEmpty, hasRoom(waitingMilliseconds: patienceMilliseconds) else { return }
    show(status: nil)
    writeError(Array(lines.utf8))
  }

  // MARK: The status line

  private static let clearLine = Array("\r\u{1B}[K".utf8)
  /// Whether a status line is shown.
  private static let status = Mutex(false)

  /// Replaces the status line, or removes it; does nothing unless standard error is a terminal.
  static func show(status text: String?) {
    guard standardErrorIsTerminal else { return }
    status.withLock { isShown in
      guard isShown || text != nil else { return }
      writeError(clearLine + (text.map { Array($0.utf8) } ?? []))
      isShown = text != nil
    }
  }

  /// Writes lines of the live log.
  static func log(_ lines: [UInt8]) {
    var rest = lines[...]
    while !rest.isEmpty {
      guard hasRoom(waitingMilliseconds: 0) else {
        return lostLines.withLock { $0 += rest.count { $0 == UInt8(ascii: "\n") } }
      }
      reportLostLines()
      let start = rest.prefix(pieceBytes)
      // Whole lines, unless one is longer than a piece.
      let piece = start.lastIndex(of: UInt8(ascii: "\n")).map { start[...$0] } ?? start
      writeError(Array(piece))
      rest = rest[piece.endIndex...]
    }
  }

  private static func reportLostLines() {
    let count = lostLines.withLock { lost in
      defer { lost = 0 }
      return lost
    }
    guard count > 0 else { return }
    writeError(
      Array(
        "tapedeck: \(count) \(count == 1 ? "line of the log was" : "lines of the log were") lost: standard error was not read\n"
          .utf8))
  }

  private static func hasRoom(waitingMilliseconds: Int32) -> Bool {
    var descriptor = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
    return poll(&descriptor, 1, waitingMilliseconds) == 1
  }

  // MARK: The environment

  private static let isDumb = environment("TERM") == "dumb"
  /// `--color`, which must be set before the first output in colour.
  static let colorChoice = Mutex(ColorChoice.auto)
  static let standardErrorHasColor = hasColor(STDERR_FILENO)
  static let standardOutputHasColor = hasColor(STDOUT_FILENO)

  /// By default only on a terminal, and never with `NO_COLOR` (no-color.org).
  private static func hasColor(_ descriptor: Int32) -> Bool {
    switch colorChoice.withLock({ $0 }) {
    case .always: true
    case .never: false
    case .auto: isatty(descriptor) == 1 && environment("NO_COLOR") == nil && !isDumb
    }
  }

  /// Whether lines on standard error can be redrawn.
  static let standardErrorIsTerminal = isatty(STDERR_FILENO) == 1 && !isDumb

  /// The width of standard output, from `COLUMNS` or the terminal; `nil` if it is not a terminal.
  static var outputColumns: Int? { columns(STDOUT_FILENO) }
  static var errorColumns: Int? { columns(STDERR_FILENO) }

  private static func columns(_ descriptor: Int32) -> Int? {
    guard isatty(descriptor) == 1 else { return nil }
    if let text = environment("COLUMNS"), let count = Int(text), count > 0 { return count }
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// Whether this runs in continuous integration.
  static let isCI = RecordMode.isCI(environment("CI"))

  /// An environment variable, unless it is empty.
  static func environment(_ name: String) -> String? {
    guard let value = getenv(name) else { return nil }
    let text = String(cString: value)
    return text.isEmpty ? nil : text
  }

  static var environmentNames: [String] {
    var names: [String] = []
    var entry = environ
    while let text = entry.pointee {
      names.append(String(String(cString: text).prefix { $0 != "=" }))
      entry += 1
    }
    return names
  }

  private static func writeError(_ bytes: [UInt8]) {
    OutputFile.writeAll(bytes, to: STDERR_FILENO, waits: false)
  }
}
