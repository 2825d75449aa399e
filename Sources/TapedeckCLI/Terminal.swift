internal import Glibc

/// What people see.
enum Terminal {
  static func out(_ text: String) { write(STDOUT_FILENO, Array(text.utf8)) }

  /// A line from us on standard error.
  static func say(_ text: String) { write(STDERR_FILENO, Array("tapedeck: \(text)\n".utf8)) }

  static func error(_ bytes: [UInt8]) { write(STDERR_FILENO, bytes) }

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
