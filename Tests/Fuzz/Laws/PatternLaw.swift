import TapedeckHTTP

/// Path patterns: an error, or a pattern that matches or not, and that has one place beside any other.
///
/// The input is lines: the first is a path, the others are patterns.
enum PatternLaw {
  static func check(_ input: [UInt8]) throws(BrokenLaw) {
    let lines = input.split(separator: 0x0A, omittingEmptySubsequences: false).prefix(6)
    let path = lines.first ?? []
    let patterns = lines.dropFirst().compactMap { try? PathPattern(String(decoding: $0, as: UTF8.self)) }
    for pattern in patterns {
      _ = pattern.match(path)
      try require(!pattern.isMoreSpecific(than: pattern), "\(pattern) goes before itself")
      for other in patterns {
        try require(
          !(pattern.isMoreSpecific(than: other) && other.isMoreSpecific(than: pattern)),
          "\(pattern) and \(other) go before each other")
      }
    }
    try matchesItself(path)
  }

  /// A path without holes is a pattern of itself; each segment caught by a hole is what stands there.
  private static func matchesItself(_ path: ArraySlice<UInt8>) throws(BrokenLaw) {
    let text = String(decoding: path, as: UTF8.self)
    let bytes = Array(text.utf8)
    if !bytes.contains(where: { "{}:*".utf8.contains($0) }) {
      let own = try? PathPattern(text)
      try require(own?.match(bytes[...]) == [:], "\(text.debugDescription) does not match itself")
    }
    let holes = bytes.split(separator: 0x2F).indices.map { "/{\($0)}" }.joined()
    let caught = (try? PathPattern(holes))?.match(bytes[...])
    try require(
      caught?.count == bytes.split(separator: 0x2F).count,
      "holes caught \(String(describing: caught)) of \(text)"
    )
  }
}
