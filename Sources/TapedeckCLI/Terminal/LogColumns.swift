internal import TapedeckHTTP

/// Exchanges as lines of aligned columns for a terminal: time of day, method, target, status, size, who responded and
/// from which file, and duration.
///
/// A line never wraps: a long target is shortened in the middle, and a file to the key in its name if there is no room
/// for more. Notes and the explanation of a miss follow on lines of their own.
struct LogColumns {
  /// What all other columns take, and the gaps between them.
  private static let fixedWidth = 38
  private static let methodWidth = 6
  private static let sizeWidth = 8
  private static let durationWidth = 7

  private let width: Int
  private let responderWidth: Int
  private let targetWidth: Int
  private let style: Style

  /// - Parameter columns: of the terminal. The last one stays empty, since some terminals break the line after it.
  init(columns: Int, style: Style) {
    width = max(58, columns - 1)
    let shared = width - Self.fixedWidth
    responderWidth = shared < 41 ? max(9, shared - 24) : min(48, 17 + (shared - 41) * 2 / 5)
    targetWidth = shared - responderWidth
    self.style = style
  }

  /// - Parameter time: as in `22:41:07`.
  /// - Returns: lines with their ends.
  func text(_ exchange: ExchangeSummary, time: String) -> String {
    let method = Printable.line(exchange.method.rawValue).shortened(to: Self.methodWidth + targetWidth / 2)
    let room = targetWidth - max(0, method.width - Self.methodWidth)
    let status = exchange.status == 0 ? "-" : "\(exchange.status)"
    let responder = responder(exchange).shortened(to: responderWidth).padded(to: responderWidth)
    let cells = [
      style.paint(time, .dim), method.padded(to: Self.methodWidth),
      Self.target(exchange.target).shortened(to: room).padded(to: room),
      style.paint(status.leftPadded(to: 3), .ofStatus(exchange.status == 0 ? 599 : exchange.status)),
      HumanText.size(exchange.bodyBytes).leftPadded(to: Self.sizeWidth),
      exchange.source == .unmatched ? style.paint(responder, .red) : responder,
      style.paint(
        HumanText.duration(nanoseconds: exchange.durationNanoseconds).leftPadded(to: Self.durationWidth), .dim
      ),
    ]
    return ([cells.joined(separator: " ")] + notes(exchange)).map { $0 + "\n" }.joined()
  }

  /// The scheme of an origin is left out where it is `https`.
  private static func target(_ target: [UInt8]) -> String {
    let text = Printable.line(RequestTarget.text(target))
    return text.hasPrefix("https://") ? String(text.dropFirst("https://".count)) : text
  }

  private func responder(_ exchange: ExchangeSummary) -> String {
    let source = exchange.source.rawValue
    if let replay = exchange.decisions?.replay {
      return "\(source) \(Self.file(replay.file, width: responderWidth - source.width - 1))"
    }
    return exchange.decisions?.responded?.rule.map { "\(source) \(Printable.line($0))" } ?? source
  }

  /// The file without its suffix, or only the key in its name (`3f9a1c.2`), which `show` takes as well.
  static func file(_ name: String, width: Int) -> String {
    let file = Printable.line(name.hasSuffix(".json") ? String(name.dropLast(".json".count)) : name)
    guard file.width > width else { return file }
    // Both ends, since the key is the last.
    if width >= 16 { return file.shortened(to: width) }
    let leaf = file.split(separator: "/").last.map(String.init) ?? file
    guard leaf.width > width, let key = leaf.split(separator: "-").last, key != leaf else {
      return leaf.shortened(to: width)
    }
    let digits = key.prefix { $0 != "." }
    let isKey = digits.count == 6 && digits.allSatisfy(\.isHexDigit)
    return (isKey ? String(key) : leaf).shortened(to: width)
  }

  // MARK: Below the line

  private func notes(_ exchange: ExchangeSummary) -> [String] {
    var notes: [(text: String, color: Style.Color)] = []
    if exchange.wasCutShort { notes.append(("cut short", .yellow)) }
    if let failure = exchange.failure { notes.append((failure.detail, .red)) }
    if let drift = exchange.decisions?.replay?.drift, !drift.isEmpty {
      notes.append(("drift: \(drift.joined(separator: ", "))", .yellow))
    }
    if let substitution = exchange.decisions?.replay?.substitution {
      notes.append((substitution.rawValue, .yellow))
    }
    let applied = exchange.decisions?.applied ?? []
    if !applied.isEmpty { notes.append((applied.joined(separator: ", "), .cyan)) }
    let lines = notes.flatMap { note in
      Printable.line(note.text).wrapped(to: width, indent: 9).map { style.paint($0, note.color) }
    }
    return lines + (exchange.decisions?.toldMiss.map { $0.screenLines(width: width, style: style) } ?? [])
  }
}

extension Miss {
  /// The explanation for a terminal: no line is wider than `width` unless it is one long word.
  func screenLines(width: Int, style: Style) -> [String] {
    let near = nearest.first.map { Self.lines(of: $0, width: width, style: style) } ?? []
    let further = nearest.dropFirst().flatMap {
      "further: \(Printable.line("\($0.file) (\($0.request))"))".wrapped(to: width, indent: 2)
    }
    return near + further + fixes.flatMap { Self.lines(of: $0, width: width, style: style) }
      + ["  again:"] + curl.wrappedCommand(to: width, indent: 4)
  }

  static func lines(of near: Nearest, width: Int, style: Style) -> [String] {
    let listed = near.differences.prefix(8).flatMap {
      Printable.line($0.description).wrapped(to: width, indent: 4).map { style.paint($0, .yellow) }
    }
    let rest = near.differences.count - 8
    return "nearest: \(Printable.line("\(near.file) (\(near.request))"))".wrapped(to: width, indent: 2)
      + listed + (rest > 0 ? ["    and \(rest) more"] : [])
  }

  static func lines(of fix: Fix, width: Int, style: Style) -> [String] {
    "\(Printable.line(fix.because)):".wrapped(to: width, indent: 2)
      + Printable.line(fix.command).wrappedCommand(to: width, indent: 4).map { style.paint($0, .bold) }
  }
}
