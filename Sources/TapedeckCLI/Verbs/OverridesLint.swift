import TapedeckOverrides
internal import TapedeckProxy

/// An overrides file among what is linted.
enum OverridesLint {
  /// Nil where a file is of another kind.
  static func check(_ path: String) throws -> OverridesCheck? {
    guard path.hasSuffix(".json") else { return nil }
    let bytes = try Files.read(path)
    return OverridesCheck.isOverrides(bytes)
      ? OverridesCheck(bytes, of: OverridesFile(readingCassettes: path)) : nil
  }
}
