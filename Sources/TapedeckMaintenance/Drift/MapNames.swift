import TapedeckHTTP

/// Tells objects whose names are data from those whose names are words somebody chose.
enum MapNames {
  /// Whether all names, and there is at least one, are numbers, dates or identifiers made by a machine.
  static func areData(_ names: [[UInt8]]) -> Bool { !names.isEmpty && names.allSatisfy(isData) }

  private static func isData(_ name: [UInt8]) -> Bool {
    if !name.isEmpty, name.allSatisfy(ASCII.isDigit) { return true }
    switch StringFormat(name) {
    case .uuid, .date, .time, .url: return true
    case .text: return isLongIdentifier(name)
    }
  }

  /// Sixteen characters and more, of which some are digits and all could be of a hash or a key.
  private static func isLongIdentifier(_ name: [UInt8]) -> Bool {
    name.count >= 16 && name.count(where: ASCII.isDigit) >= 3
      && name.allSatisfy {
        ASCII.isDigit($0) || ASCII.lowercased($0) &- 0x61 < 26 || $0 == 0x2D || $0 == 0x5F
      }
  }
}
